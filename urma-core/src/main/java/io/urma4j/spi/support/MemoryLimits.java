package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that the machine and the control groups of this process have left. The kernel overcommits, and kills the
 * process when it touches missing pages; so allocations are checked first (S7.2).
 *
 * <p>File cache counts as free, also in a group: the kernel reclaims it before it refuses.
 */
public final class MemoryLimits {
    /** A larger value means no limit; version 1 writes a number near 2⁶³. */
    private static final long NO_LIMIT = Long.MAX_VALUE / 2;

    private static final Pattern KIB_LINE = Pattern.compile("(\\w+):\\s+(\\d+) kB");
    private static final Pattern CGROUP_LINE = Pattern.compile("\\d+:([^:]*):(/.*)");

    private final Path root;

    /** Reads {@code proc} and {@code sys} below {@code root}. */
    MemoryLimits(Path root) {
        this.root = root;
    }

    public static MemoryLimits ofThisProcess() {
        return new MemoryLimits(Path.of("/"));
    }

    /** A limit: its source, and the free bytes below it. */
    record Headroom(String limit, long freeBytes) {}

    /**
     * Refuses a request that does not fit; returns how much would stay free.
     *
     * @throws UrmaException ENOMEM, naming the needed and the free bytes, and the limit
     */
    long check(Object object, long neededBytes) {
        long besideBytes = Long.MAX_VALUE;
        for (Headroom headroom : headrooms()) {
            if (neededBytes > headroom.freeBytes) {
                throw new UrmaException(
                        UrmaStatus.ENOMEM,
                        object,
                        "needs " + neededBytes + " bytes, and " + headroom.limit + " leaves " + headroom.freeBytes);
            }
            besideBytes = Math.min(besideBytes, headroom.freeBytes - neededBytes);
        }
        return besideBytes;
    }

    /** All readable limits; unreadable ones are ignored. */
    List<Headroom> headrooms() {
        List<Headroom> found = new ArrayList<>();
        long free = kib("MemAvailable");
        if (free >= 0) {
            found.add(new Headroom("the machine (MemAvailable + SwapFree)", free + Math.max(kib("SwapFree"), 0)));
        }
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            Matcher cgroup = CGROUP_LINE.matcher(line);
            if (!cgroup.matches()) {
                continue;
            }
            if (cgroup.group(1).isEmpty()) {
                addGroups(found, "sys/fs/cgroup", cgroup.group(2), "memory.max", "memory.current", "");
                addGroups(found, "sys/fs/cgroup/unified", cgroup.group(2), "memory.max", "memory.current", "");
            } else if (List.of(cgroup.group(1).split(",")).contains("memory")) {
                addGroups(
                        found,
                        "sys/fs/cgroup/memory",
                        cgroup.group(2),
                        "memory.limit_in_bytes",
                        "memory.usage_in_bytes",
                        "total_");
            }
        }
        return found;
    }

    /** A value of {@code /proc/meminfo} in bytes, or -1. */
    public long kib(String name) {
        for (String line : lines(root.resolve("proc/meminfo"))) {
            Matcher value = KIB_LINE.matcher(line);
            if (value.matches() && value.group(1).equals(name)) {
                return Long.parseLong(value.group(2)) * 1024;
            }
        }
        return -1;
    }

    /** A group and all its ancestors: each may have a limit. */
    private void addGroups(
            List<Headroom> found, String mount, String group, String limitFile, String usageFile, String statPrefix) {
        Path top = root.resolve(mount);
        Path folder = top.resolve(group.substring(1)).normalize();
        if (!folder.startsWith(top) || !Files.isDirectory(folder)) {
            folder = top; // in a container the path is the host's, and the mount is the group itself
        }
        for (Path at = folder; at != null && at.startsWith(top); at = at.getParent()) {
            addGroup(found, at, limitFile, usageFile, statPrefix);
        }
    }

    private void addGroup(List<Headroom> found, Path folder, String limitFile, String usageFile, String statPrefix) {
        OptionalLong limit = number(folder.resolve(limitFile));
        OptionalLong usage = number(folder.resolve(usageFile));
        if (limit.isEmpty() || usage.isEmpty() || limit.getAsLong() > NO_LIMIT) {
            return;
        }
        long cache = stat(folder, statPrefix + "inactive_file") + stat(folder, statPrefix + "active_file");
        long free = Math.max(limit.getAsLong() - Math.max(usage.getAsLong() - cache, 0), 0);
        found.add(new Headroom(
                "the limit of " + limit.getAsLong() + " bytes in "
                        + Path.of("/").resolve(root.relativize(folder)) + "/" + limitFile,
                free));
    }

    private static long stat(Path folder, String name) {
        for (String line : lines(folder.resolve("memory.stat"))) {
            if (line.startsWith(name + " ")) {
                return parsed(line.substring(name.length() + 1)).orElse(0);
            }
        }
        return 0;
    }

    private static OptionalLong number(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? OptionalLong.empty() : parsed(lines.getFirst());
    }

    /** Empty for {@code max} and any other text that is no number. */
    private static OptionalLong parsed(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            return List.of(); // such as a group that ends just now
        }
    }
}
