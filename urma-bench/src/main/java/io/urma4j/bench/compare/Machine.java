package io.urma4j.bench.compare;

import io.urma4j.bench.Pinned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** On what it was measured. */
final class Machine {
    private Machine() {}

    static Map<String, Object> described() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("processor", processor());
        map.put("cpus", Runtime.getRuntime().availableProcessors());
        map.put("used", "CPU " + Pinned.cpu(0) + " and CPU " + Pinned.cpu(1));
        map.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        map.put("jdk", Runtime.version().toString());
        map.put("clock", firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
        return map;
    }

    /** Whether figures of both belong into one table: their descriptions are equal as text. */
    static boolean isSame(Map<String, Object> one, Map<String, Object> other) {
        return one.toString().equals(other.toString());
    }

    /** The kind of machine: figures of two of the same kind can be compared, roughly. */
    static String kind() {
        return Runtime.getRuntime().availableProcessors() + " CPUs of " + processor();
    }

    /** What else it does: the mean number of threads that want a CPU, of the last minute, five and fifteen. */
    static String load() {
        return firstLine("/proc/loadavg");
    }

    private static String processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            Map<String, String> facts = new LinkedHashMap<>();
            lines.takeWhile(line -> !line.isBlank()).forEach(line -> {
                String[] parts = line.split(":", 2);
                facts.put(parts[0].strip(), parts.length > 1 ? parts[1].strip() : "");
            });
            String virtual = facts.getOrDefault("flags", "").contains("hypervisor") ? ", a virtual machine" : "";
            return facts.getOrDefault("model name", System.getProperty("os.arch")) + " (family "
                    + facts.getOrDefault("cpu family", "?") + ", model " + facts.getOrDefault("model", "?") + ")"
                    + virtual;
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    private static String firstLine(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
