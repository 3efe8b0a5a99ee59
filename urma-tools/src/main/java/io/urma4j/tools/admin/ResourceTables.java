package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.tools.Table;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;

/** Prints resources: a row for each, a column for each field, under the names of the fields. */
final class ResourceTables {
    private static final Set<String> WORDS = Set.of(
            "state",
            "access",
            "importers",
            "home",
            "target",
            "type",
            "pool",
            "devices",
            "peer",
            "client",
            "local",
            "transport",
            "reason",
            "version",
            "style",
            "model",
            "bus",
            "holder");

    private ResourceTables() {}

    /** {@link #print} behind an empty line and a title; nothing if there is no resource of this kind. */
    static void printTitled(PrintWriter out, List<ContextView> contexts, Resource.Kind kind) {
        long count = contexts.stream()
                .mapToLong(context -> context.resources(kind).size())
                .sum();
        if (count > 0) {
            out.println();
            out.println(kind + " (" + count + ")");
            print(out, contexts, kind);
        }
    }

    /** Prints a row for each resource of the contexts; the first columns name the context. */
    static void print(PrintWriter out, List<ContextView> contexts, Resource.Kind kind) {
        SequencedSet<String> fields = new LinkedHashSet<>();
        for (ContextView context : contexts) {
            context.resources(kind)
                    .forEach(resource -> fields.addAll(resource.fields().keySet()));
        }
        Table table = new Table().figures("uasid").words("process");
        for (String field : fields) {
            boolean figures = !WORDS.contains(field)
                    && contexts.stream()
                            .flatMap(context -> context.resources(kind).stream())
                            .allMatch(resource -> resource.field(field).matches("-?\\d*"));
            if (figures) {
                table.figures(field);
            } else {
                table.words(field);
            }
        }
        for (ContextView context : contexts) {
            for (Resource resource : context.resources(kind)) {
                Object[] cells = new Object[fields.size() + 2];
                cells[0] = context.uasid();
                cells[1] = context.process();
                int at = 2;
                for (String field : fields) {
                    cells[at++] = resource.field(field).isEmpty() ? "-" : resource.field(field);
                }
                table.row(cells);
            }
        }
        table.print(out);
    }

    /** The description of a context, for programs. */
    static Map<String, Object> asMap(ContextView context, Set<Resource.Kind> kinds) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("uasid", context.uasid());
        map.put("process", context.process());
        if (!context.failure().isEmpty()) {
            map.put("failure", context.failure());
        }
        for (Resource.Kind kind : Resource.Kind.values()) {
            if (kinds.contains(kind)) {
                map.put(
                        kind.name().toLowerCase(Locale.ROOT),
                        context.resources(kind).stream()
                                .map(ResourceTables::asMap)
                                .toList());
            }
        }
        return map;
    }

    /** The fields of a resource, with figures as numbers, not strings. */
    static Map<String, Object> asMap(Resource resource) {
        Map<String, Object> map = new LinkedHashMap<>();
        resource.fields().forEach((name, value) -> map.put(name, WORDS.contains(name) ? value : number(value)));
        return map;
    }

    private static Object number(String value) {
        if (value.matches("-?\\d{1,18}")) {
            return Long.valueOf(value);
        }
        return value.matches("-?\\d{1,15}\\.\\d{1,9}") ? Double.valueOf(value) : value;
    }

    /** Prints on stderr which contexts did not report everything. */
    static void tellFailures(PrintWriter err, List<ContextView> contexts) {
        for (ContextView context : contexts) {
            if (!context.failure().isEmpty()) {
                err.println("urma: context " + context.uasid() + " (" + context.process()
                        + ") gave an incomplete answer: " + context.failure());
            }
        }
        err.flush();
    }
}
