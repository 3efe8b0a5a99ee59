package io.urma4j.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * How much memory this process can still get, and what limits it: the machine, or a cgroup above it.
 *
 * @param limit the tightest limit, in words
 */
public record MemoryBudget(long availableBytes, String limit) {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    /** The budget that the kernel reports now; no limit where it reports none. */
    public static MemoryBudget now() {
        return of(Path.of("/"));
    }

    /** The same, of the machine whose files lie below {@code root}. */
    static MemoryBudget of(Path root) {
        MemoryBudget machine = new MemoryBudget(
                lineNumber(root.resolve("proc/meminfo"), "MemAvailable:").orElse(NO_LIMIT / 1024) * 1024,
                "MemAvailable of /proc/meminfo");
        return machine.tighter(ofCgroups(root));
    }

    private MemoryBudget tighter(MemoryBudget other) {
        return other.availableBytes < availableBytes ? other : this;
    }

    /** Throws when {@code what} needs more memory than there is. */
    public void check(String what, long neededBytes) {
        if (neededBytes > availableBytes) {
            throw new CommandFailure(what + " is too large: it needs " + Units.bytes(neededBytes) + " of memory, and "
                    + Units.bytes(availableBytes) + " are available (" + limit + "; see 'urma doctor')");
        }
    }

    private static MemoryBudget ofCgroups(Path root) {
        MemoryBudget tightest = new MemoryBudget(NO_LIMIT, "no cgroup limit");
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            String[] parts = line.split(":", 3); // number, controllers, path
            if (parts.length == 3 && parts[1].isEmpty()) {
                tightest = tightest.tighter(
                        ofTree(root.resolve("sys/fs/cgroup"), parts[2], "memory.max", "memory.current"));
            } else if (parts.length == 3 && List.of(parts[1].split(",", -1)).contains("memory")) {
                tightest = tightest.tighter(ofTree(
                        root.resolve("sys/fs/cgroup/memory"),
                        parts[2],
                        "memory.limit_in_bytes",
                        "memory.usage_in_bytes"));
            }
        }
        return tightest;
    }

    /** A limit holds for the whole tree below it, so every folder on the way up counts. */
    private static MemoryBudget ofTree(Path mount, String path, String limitFile, String usageFile) {
        MemoryBudget tightest = new MemoryBudget(NO_LIMIT, "no cgroup limit");
        Path folder = mount.resolve(path.substring(1)).normalize();
        for (; folder != null && folder.startsWith(mount); folder = folder.getParent()) {
            OptionalLong limit = number(folder.resolve(limitFile));
            OptionalLong usage = number(folder.resolve(usageFile));
            if (limit.isPresent() && usage.isPresent()) {
                // the kernel reclaims inactive file pages when processes of the group need memory
                long reclaimable = lineNumber(folder.resolve("memory.stat"), "inactive_file")
                        .orElse(0);
                tightest = tightest.tighter(new MemoryBudget(
                        Math.max(0, limit.getAsLong() - usage.getAsLong() + reclaimable),
                        "cgroup limit of " + Units.bytes(limit.getAsLong()) + " in " + folder.resolve(limitFile)));
            }
        }
        return tightest;
    }

    private static OptionalLong number(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? OptionalLong.empty() : parse(lines.getFirst().strip());
    }

    private static OptionalLong lineNumber(Path file, String key) {
        for (String line : lines(file)) {
            String[] words = line.split("\\s+", -1);
            if (words.length > 1 && words[0].equals(key)) {
                return parse(words[1]);
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong parse(String digits) {
        try {
            return OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // "max"
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of(); // another kernel, or another version of cgroups
        }
    }
}
