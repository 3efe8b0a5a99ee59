package io.urma4j.socket.peering;

import io.urma4j.socket.ring.Spinning;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings of sockets, from system properties.
 *
 * @param mode {@code urma.socket.mode}: {@code tcp}, {@code auto} or {@code require}
 * @param excludedPorts {@code urma.socket.exclude}: ports, separated by commas, whose connections stay TCP
 * @param ringBytes {@code urma.socket.buffer}: what each direction of a connection holds, 16 KiB to 2 MiB, rounded up to a
 *     power of two
 * @param memoryBytes {@code urma.socket.memory}: the most that the rings of this process take; one peer gets a quarter
 * @param offerTimeout {@code urma.socket.wait}, in milliseconds: how long a connection waits for a server to take its offer; the
 *     first one to a process waits 40 times as long for its answer
 * @param spinning {@code urma.socket.spin}, in microseconds or {@code adaptive}: how long a wait looks at its rings before it sleeps
 * @param networks {@code urma.socket.networks}: the networks whose addresses are reached by {@code udma0}
 */
public record SocketSettings(
        Mode mode,
        Set<Integer> excludedPorts,
        int ringBytes,
        long memoryBytes,
        Duration offerTimeout,
        Spinning spinning,
        Networks networks) {
    private static final int MIN_RING_BYTES = 16 << 10;
    private static final int MAX_RING_BYTES = 2 << 20;
    private static final int MAX_WAIT_MILLIS = 10_000;
    private static final int MAX_SPIN_MICROS = 10_000;
    private static final String ADAPTIVE = "adaptive";

    /** What the connections of a process use. */
    public enum Mode {
        /** TCP, always. */
        TCP,
        /** Rings where the peer can, TCP else. */
        AUTO,
        /** Rings; a connection that cannot is refused. */
        REQUIRE
    }

    /** The defaults in this mode. */
    public static SocketSettings of(Mode mode) {
        return new SocketSettings(
                mode, Set.of(), 256 << 10, 1L << 30, Duration.ofMillis(50), Spinning.of(0), Networks.NONE);
    }

    /**
     * The settings of this process.
     *
     * @throws IllegalArgumentException if a property has no possible value; the message names both
     */
    public static SocketSettings ofProcess() {
        SocketSettings defaults = of(mode(System.getProperty("urma.socket.mode", "tcp")));
        return new SocketSettings(
                defaults.mode(),
                ports(System.getProperty("urma.socket.exclude", "")),
                ring(number("urma.socket.buffer", defaults.ringBytes(), MIN_RING_BYTES, MAX_RING_BYTES)),
                number("urma.socket.memory", defaults.memoryBytes(), 4L * MAX_RING_BYTES, 1L << 40),
                Duration.ofMillis(
                        number("urma.socket.wait", defaults.offerTimeout().toMillis(), 1, MAX_WAIT_MILLIS)),
                spinning(Runtime.getRuntime().availableProcessors()),
                Networks.parse(System.getProperty("urma.socket.networks", "")));
    }

    /**
     * Whether {@code urma.socket.classic} is {@code true}: {@link java.net.Socket} and {@link java.net.ServerSocket} are to use
     * our channels.
     *
     * @throws IllegalArgumentException if it is neither {@code true} nor {@code false}
     */
    public static boolean isClassicWanted() {
        String value = System.getProperty("urma.socket.classic", "false");
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new IllegalArgumentException("-Durma.socket.classic is " + value + ", must be true or false");
        };
    }

    /** The same with rings of this size. */
    public SocketSettings withRingBytes(int bytes) {
        return new SocketSettings(mode, excludedPorts, ring(bytes), memoryBytes, offerTimeout, spinning, networks);
    }

    /** The same with at most so much memory. */
    public SocketSettings withMemoryBytes(long bytes) {
        return new SocketSettings(mode, excludedPorts, ringBytes, bytes, offerTimeout, spinning, networks);
    }

    /** The same with another timeout. */
    public SocketSettings withOfferTimeout(Duration most) {
        return new SocketSettings(mode, excludedPorts, ringBytes, memoryBytes, most, spinning, networks);
    }

    /** The same with waits that spin. */
    public SocketSettings withSpinning(Spinning policy) {
        return new SocketSettings(mode, excludedPorts, ringBytes, memoryBytes, offerTimeout, policy, networks);
    }

    /** The same with these networks. */
    public SocketSettings withNetworks(String list) {
        return new SocketSettings(
                mode, excludedPorts, ringBytes, memoryBytes, offerTimeout, spinning, Networks.parse(list));
    }

    /** With two processors a thread that spins would take the one that its peer needs. */
    private static Spinning spinning(int processors) {
        String value = System.getProperty("urma.socket.spin", processors > 2 ? ADAPTIVE : "0");
        if (value.equals(ADAPTIVE)) {
            return Spinning.adaptive(processors);
        }
        try {
            return Spinning.of(1000 * number("urma.socket.spin", value, 0, MAX_SPIN_MICROS));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ", or be " + ADAPTIVE, e);
        }
    }

    private static Mode mode(String value) {
        try {
            return Mode.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("-Durma.socket.mode is " + value + ", must be tcp, auto or require", e);
        }
    }

    private static Set<Integer> ports(String value) {
        Set<Integer> ports = new TreeSet<>();
        for (String port : value.isBlank() ? new String[0] : value.split(",", -1)) {
            ports.add((int) number("urma.socket.exclude", port.strip(), 1, 65_535));
        }
        return Set.copyOf(ports);
    }

    private static long number(String name, long otherwise, long min, long max) {
        return number(name, System.getProperty(name, Long.toString(otherwise)), min, max);
    }

    private static long number(String name, String value, long min, long max) {
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new IllegalArgumentException("-D" + name + " is " + value + ", must lie in " + min + "…" + max);
    }

    /**
     * A size that another process has chosen.
     *
     * @throws IllegalArgumentException if it is none that a process may have
     */
    static int checkedRing(int bytes) {
        if (bytes < MIN_RING_BYTES || bytes > MAX_RING_BYTES) {
            throw new IllegalArgumentException(
                    "rings of " + bytes + " bytes, must be " + MIN_RING_BYTES + "…" + MAX_RING_BYTES);
        }
        return bytes;
    }

    private static int ring(long bytes) {
        int highest = Integer.highestOneBit((int) bytes);
        return highest == bytes ? highest : 2 * highest;
    }
}
