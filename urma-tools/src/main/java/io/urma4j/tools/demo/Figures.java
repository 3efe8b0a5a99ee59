package io.urma4j.tools.demo;

import io.urma4j.tools.Line;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was measured for one size: a write, a read, and beside them a plain copy of as many bytes in local memory.
 */
record Figures(int sizeBytes, Speed write, Speed read, Speed copy) {
    /**
     * How fast one kind of operation is.
     *
     * @param p50Nanos the median, from post to polled record, with the clock's own cost
     * @param bytesPerSecond one operation after the other, without a clock between them
     * @param allocatedBytes on the Java heap, per operation
     */
    record Speed(long p50Nanos, long p99Nanos, double bytesPerSecond, double allocatedBytes) {
        private Line addTo(Line line, String kind) {
            return line.with(kind + ".p50", p50Nanos)
                    .with(kind + ".p99", p99Nanos)
                    .with(kind + ".rate", bytesPerSecond)
                    .with(kind + ".allocated", allocatedBytes);
        }

        private static Speed of(Line line, String kind) {
            return new Speed(
                    line.number(kind + ".p50"),
                    line.number(kind + ".p99"),
                    line.fraction(kind + ".rate"),
                    line.fraction(kind + ".allocated"));
        }

        Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("p50Nanos", p50Nanos);
            map.put("p99Nanos", p99Nanos);
            map.put("bytesPerSecond", bytesPerSecond);
            map.put("allocatedBytesPerOperation", allocatedBytes);
            return map;
        }
    }

    Line toLine() {
        Line line = Line.of(Line.FIGURES).with("size", sizeBytes);
        write.addTo(line, "write");
        read.addTo(line, "read");
        return copy.addTo(line, "copy");
    }

    static Figures of(Line line) {
        return new Figures(
                (int) line.number("size"), Speed.of(line, "write"), Speed.of(line, "read"), Speed.of(line, "copy"));
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("sizeBytes", sizeBytes);
        map.put("write", write.asMap());
        map.put("read", read.asMap());
        map.put("copy", copy.asMap());
        return map;
    }
}
