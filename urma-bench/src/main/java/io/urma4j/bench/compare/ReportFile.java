package io.urma4j.bench.compare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** Reads what {@link Report#json} has written, so that one more run can add to it. */
final class ReportFile {
    private ReportFile() {}

    /**
     * The report; rows that do not exist any more are left out.
     *
     * @throws IOException when it is no such report
     */
    static Report parse(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return report(new Node(value(parser)));
        } catch (IllegalArgumentException e) {
            throw new IOException("not a report of compare: " + e.getMessage(), e);
        }
    }

    private static Report report(Node root) {
        Report report = new Report(root.at("machine").map());
        root.at("runs")
                .list()
                .forEach(run -> report.runs(new Report.Run(
                        run.at("command").text(),
                        run.at("began").text(),
                        run.at("load").text())));
        root.at("versions").entries().forEach((peer, version) -> report.takesPart(peer, version.text()));
        root.at("missing").entries().forEach((peer, reason) -> report.isMissing(peer, reason.text()));
        root.at("leftOut").list().forEach(peer -> report.leavesOut(peer.text()));
        root.at("lines").list().forEach(line -> line(line).ifPresent(report::add));
        if (root.map().containsKey("packets")) { // absent in reports of earlier versions
            root.at("packets").entries().forEach((row, packets) -> report.received(row, packets.text()));
        }
        root.at("curves").entries().forEach((name, curve) -> report.drew(name, drawing(curve)));
        root.at("notRun").list().forEach(name -> report.hadNoTime(name.text()));
        root.at("failures")
                .entries()
                .forEach((where, whats) -> whats.list().forEach(what -> report.failed(where, what.text())));
        return report;
    }

    private static Optional<Line> line(Node line) {
        String name = line.at("row").text();
        return Rows.all().stream()
                .filter(row -> row.name().equals(name))
                .findFirst()
                .map(row -> row.with(row.task().at((int) line.at("perSecond").number())))
                .map(row -> new Line(
                        row,
                        line.at("peer").text(),
                        line.at("urma4jNanos").number(),
                        line.at("peerNanos").number(),
                        line.at("ratio").number(),
                        line.at("min").number(),
                        line.at("max").number(),
                        row.target(line.at("peer").text()).map(Target::limit).orElse(null)));
    }

    private static Report.Drawing drawing(Node curve) {
        SequencedMap<String, SequencedMap<Long, Double>> values = new LinkedHashMap<>();
        curve.at("values").entries().forEach((peer, points) -> {
            SequencedMap<Long, Double> ofPeer = new LinkedHashMap<>();
            points.entries().forEach((bytes, value) -> ofPeer.put(Long.parseLong(bytes), value.number()));
            values.put(peer, ofPeer);
        });
        return new Report.Drawing(curve.at("title").text(), curve.at("unit").text(), values);
    }

    private static Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> map = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                parser.nextToken();
                map.put(key, value(parser));
            }
            return map;
        }
        if (token == JsonToken.START_ARRAY) {
            List<Object> list = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                list.add(value(parser));
            }
            return list;
        }
        return switch (token) {
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
            case null -> throw new IOException("it ends in the middle");
            default -> parser.getText();
        };
    }

    /** A value of the file, of the kind that is asked for. */
    private record Node(@Nullable Object value) {
        Node at(String key) {
            Object inside = map().get(key);
            if (inside == null) {
                throw new IllegalArgumentException("nothing at '" + key + "'");
            }
            return new Node(inside);
        }

        @SuppressWarnings("unchecked") // made by value(), so its keys are strings
        Map<String, Object> map() {
            if (value instanceof Map<?, ?> map) {
                return (Map<String, Object>) map;
            }
            throw new IllegalArgumentException("no object: " + value);
        }

        Map<String, Node> entries() {
            Map<String, Node> entries = new LinkedHashMap<>();
            map().forEach((key, inside) -> entries.put(key, new Node(inside)));
            return entries;
        }

        List<Node> list() {
            if (value instanceof List<?> list) {
                return list.stream().map(inside -> new Node(inside)).toList();
            }
            throw new IllegalArgumentException("no list: " + value);
        }

        String text() {
            return String.valueOf(value);
        }

        double number() {
            if (value instanceof Number number) {
                return number.doubleValue();
            }
            throw new IllegalArgumentException("no number: " + value);
        }
    }
}
