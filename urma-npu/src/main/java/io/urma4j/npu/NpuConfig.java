package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.ClientStyle;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What to simulate.
 *
 * @param devices 1 to 16
 * @param memoryBytes of each device
 * @param pageBytes of memory and DMA mappings: a power of two from 4 KiB to 2 MiB
 * @param windowBytes that can be pinned at the same time on each device, its PCI window
 * @param bytesPerSecond of each copy engine; 0 for as fast as the host copies
 * @param latencyNanos from the start of a copy to its first byte
 * @param alignmentBytes of addresses and lengths of copies: 1, 4 or 32
 * @param stale whether kernels see what peers wrote only after a flush
 * @param ipc whether other processes can open memory of the devices; not with pages that move
 * @param seed of the order of free pages
 */
public record NpuConfig(
        int devices,
        NpuProfile profile,
        long memoryBytes,
        int pageBytes,
        long windowBytes,
        long bytesPerSecond,
        long latencyNanos,
        int alignmentBytes,
        boolean stale,
        boolean ipc,
        long seed) {

    private static final String NAME = "simulated NPU";
    private static final int MAX_DEVICES = 16;
    private static final long MAX_MEMORY_BYTES = 1L << 40;
    private static final int MAX_PAGE_BYTES = 2 << 20;

    /** One device of 256 MiB without habits, throttle or latency. */
    public static final NpuConfig DEFAULT =
            new NpuConfig(1, NpuProfile.PLAIN, 256L << 20, 64 << 10, 256L << 20, 0, 0, 1, false, false, 1);

    public NpuConfig {
        require(devices >= 1 && devices <= MAX_DEVICES, "devices is " + devices + ", must lie in 1…" + MAX_DEVICES);
        require(
                memoryBytes >= NpuDevice.GRANULE_BYTES && memoryBytes <= MAX_MEMORY_BYTES,
                "memory is " + memoryBytes + " bytes, must lie in " + NpuDevice.GRANULE_BYTES + "…" + MAX_MEMORY_BYTES);
        require(
                Integer.bitCount(pageBytes) == 1 && pageBytes >= 4096 && pageBytes <= MAX_PAGE_BYTES,
                "page is " + pageBytes + " bytes, must be a power of two in 4096…" + MAX_PAGE_BYTES);
        require(windowBytes >= pageBytes, "window is " + windowBytes + " bytes, less than a page");
        require(bytesPerSecond >= 0, "rate is " + bytesPerSecond + " bytes per second, must not be negative");
        require(latencyNanos >= 0, "latency is " + latencyNanos + " ns, must not be negative");
        require(
                alignmentBytes == 1 || alignmentBytes == 4 || alignmentBytes == 32,
                "alignment is " + alignmentBytes + ", must be 1, 4 or 32");
        require(
                !ipc || profile.style() != ClientStyle.DYNAMIC,
                "ipc needs pages that stay, but those of profile " + profile.text() + " move");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new UrmaException(UrmaStatus.EINVAL, NAME, otherwise);
        }
    }

    /** The same with that profile, and its usual pages. */
    public NpuConfig withProfile(NpuProfile habits) {
        return new NpuConfig(
                devices,
                habits,
                memoryBytes,
                habits.pageBytes(),
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withDevices(int count) {
        return new NpuConfig(
                count,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withMemoryBytes(long bytes) {
        return new NpuConfig(
                devices,
                profile,
                bytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withPageBytes(int bytes) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                bytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withWindowBytes(long bytes) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                bytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withBytesPerSecond(long rate) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                rate,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withLatencyNanos(long nanos) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                nanos,
                alignmentBytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withAlignmentBytes(int bytes) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                bytes,
                stale,
                ipc,
                seed);
    }

    public NpuConfig withStale(boolean untilFlush) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                untilFlush,
                ipc,
                seed);
    }

    public NpuConfig withSeed(long shuffle) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                ipc,
                shuffle);
    }

    public NpuConfig withIpc(boolean shared) {
        return new NpuConfig(
                devices,
                profile,
                memoryBytes,
                pageBytes,
                windowBytes,
                bytesPerSecond,
                latencyNanos,
                alignmentBytes,
                stale,
                shared,
                seed);
    }

    /**
     * Reads a setting: a number of devices, then {@code name=value} pairs in any order, separated by commas, as in {@code
     * 2,profile=ascend,memory=1G,rate=4G,latency=20us}. Without a page it has the profile's.
     *
     * @throws UrmaException EINVAL, naming the part that is wrong
     */
    public static NpuConfig parse(String text) {
        String[] parts = text.split(",", -1);
        NpuConfig config = DEFAULT.withDevices((int) number("devices", parts[0], Integer.MAX_VALUE));
        String[] pairs = Arrays.copyOfRange(parts, 1, parts.length);
        Arrays.sort(pairs, Comparator.comparingInt(NpuConfig::rank));
        for (String part : pairs) {
            int equals = part.indexOf('=');
            require(equals > 0, "'" + part + "' is no name=value");
            config = config.with(
                    part.substring(0, equals).strip(),
                    part.substring(equals + 1).strip());
        }
        return config;
    }

    /** Pairs of a lower rank are read first: a page replaces the profile's, and a window has at least a page. */
    private static int rank(String pair) {
        return switch (pair.substring(0, Math.max(0, pair.indexOf('='))).strip()) {
            case "profile" -> 0;
            case "page" -> 1;
            default -> 2;
        };
    }

    private NpuConfig with(String name, String value) {
        return switch (name) {
            case "profile" -> withProfile(profile(value));
            case "memory" -> withMemoryBytes(size(name, value));
            case "page" -> withPageBytes((int) Math.min(Integer.MAX_VALUE, size(name, value)));
            case "window" -> withWindowBytes(size(name, value));
            case "rate" -> withBytesPerSecond(size(name, value));
            case "latency" -> withLatencyNanos(nanos(value));
            case "alignment" -> withAlignmentBytes((int) number(name, value, Integer.MAX_VALUE));
            case "stale" -> withStale(Boolean.parseBoolean(value));
            case "ipc" -> withIpc(Boolean.parseBoolean(value));
            case "seed" -> withSeed(number(name, value, Long.MAX_VALUE));
            default ->
                throw new UrmaException(
                        UrmaStatus.EINVAL,
                        NAME,
                        "unknown name '" + name
                                + "'; there are: profile, memory, page, window, rate, latency, alignment,"
                                + " stale, ipc, seed");
        };
    }

    private static NpuProfile profile(String value) {
        for (NpuProfile profile : NpuProfile.values()) {
            if (profile.text().equals(value.toLowerCase(Locale.ROOT))) {
                return profile;
            }
        }
        String names = Arrays.stream(NpuProfile.values()).map(NpuProfile::text).collect(Collectors.joining(", "));
        throw new UrmaException(UrmaStatus.EINVAL, NAME, "unknown profile '" + value + "'; there are: " + names);
    }

    private static long size(String name, String value) {
        int last = value.length() - 1;
        int unit = last < 0 ? -1 : "KMGT".indexOf(Character.toUpperCase(value.charAt(last)));
        int shift = 10 * (unit + 1);
        return number(name, unit < 0 ? value : value.substring(0, last), Long.MAX_VALUE >> shift) << shift;
    }

    private static long nanos(String value) {
        String[] units = {"ns", "us", "ms"};
        long factor = 1;
        for (String unit : units) {
            if (value.endsWith(unit)) {
                return number("latency", value.substring(0, value.length() - unit.length()), Long.MAX_VALUE / factor)
                        * factor;
            }
            factor *= 1000;
        }
        throw new UrmaException(UrmaStatus.EINVAL, NAME, "latency '" + value + "' needs a unit: ns, us or ms");
    }

    private static long number(String name, String value, long max) {
        try {
            long number = Long.parseLong(value.strip());
            if (number >= 0 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new UrmaException(UrmaStatus.EINVAL, NAME, name + " '" + value + "' must be a number in 0…" + max);
    }
}
