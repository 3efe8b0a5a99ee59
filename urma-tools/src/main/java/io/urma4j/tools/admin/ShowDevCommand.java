package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.DeviceAttributes;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma admin show dev}: one device, or the objects of one kind on it. */
@Command(
        name = "dev",
        description = "Show the capabilities of a device, or all objects of one kind on it.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma admin show dev shm0",
            "  urma admin show dev shm0 seg",
            "  urma admin show dev udma0 tp",
            "  urma admin show dev shm0 jfs 1027 --watch 1"
        })
final class ShowDevCommand implements Callable<Integer> {
    /** The kinds of objects, as named on the command line. */
    enum Objects {
        jfc(Kind.JFC),
        jfs(Kind.JFS),
        jfr(Kind.JFR),
        jetty(Kind.JETTY),
        jetty_group(Kind.JETTY_GROUP),
        seg(Kind.SEG),
        tp(Kind.TP),
        port(Kind.PORT),
        drops(Kind.DROPS);

        private final Kind kind;

        Objects(Kind kind) {
            this.kind = kind;
        }
    }

    @Parameters(index = "0", paramLabel = "DEVICE", description = "The device, as listed by 'urma devices'.")
    private String device;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "KIND",
            description = "One of: ${COMPLETION-CANDIDATES}. Default: the capabilities of the device.")
    private @Nullable Objects objects;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "ID",
            description = "Show only the object with this number: queue id, token id, number of a path; 1 for a port.")
    private @Nullable Long id;

    @Mixin
    private WatchOption watch;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        ShowCommand.refuseOptionsBefore(spec);
        Set<Kind> kinds = objects == null ? Set.of(Kind.CONTEXT, Kind.PORT, Kind.DROPS) : Set.of(objects.kind);
        PrintWriter out = spec.commandLine().getOut();
        try (Sight sight = Sight.open(device)) {
            watch.run(out, () -> print(out, sight.look(kinds).getFirst(), kinds));
        }
        return 0;
    }

    private void print(PrintWriter out, Sight.Seen seen, Set<Kind> kinds) {
        List<ContextView> contexts = seen.contexts().stream().map(this::chosen).toList();
        if (json.isAsked()) {
            List<Map<String, Object>> maps = contexts.stream()
                    .map(context -> ResourceTables.asMap(context, kinds))
                    .toList();
            Json.print(out, objects == null ? whole(seen.device().attributes(), maps) : maps);
            return;
        }
        if (objects == null) {
            attributes(seen.device().attributes())
                    .forEach((name, value) -> out.println(String.format("%-24s: %s", name, value)));
            out.println();
        }
        ResourceTables.print(out, contexts, objects == null ? Kind.CONTEXT : objects.kind);
        if (objects == null) {
            ResourceTables.printTitled(out, contexts, Kind.PORT);
            ResourceTables.printTitled(out, contexts, Kind.DROPS);
        }
        ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
        out.flush();
    }

    private ContextView chosen(ContextView context) {
        return id == null ? context : only(context, id);
    }

    /** The context with only the object of that number. */
    static ContextView only(ContextView context, long id) {
        List<Resource> chosen = context.resources().stream()
                .filter(resource -> number(resource).equals(Long.toString(id)))
                .toList();
        return new ContextView(context.uasid(), context.incarnation(), context.process(), chosen, context.failure());
    }

    /** Each object shows its number first, except a port, which shows counters alone. */
    private static String number(Resource resource) {
        Map.Entry<String, String> first = resource.fields().firstEntry();
        boolean isPort = resource.kind() == Kind.PORT || resource.kind() == Kind.DROPS;
        return isPort || first == null ? Long.toString(resource.id()) : first.getValue();
    }

    private static Map<String, Object> whole(DeviceAttributes attributes, List<Map<String, Object>> contexts) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("attributes", attributes(attributes));
        map.put("contexts", contexts);
        return map;
    }

    private static Map<String, Object> attributes(DeviceAttributes attributes) {
        DeviceAttributes.Limits limits = attributes.limits();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", attributes.name());
        map.put(
                "trans_mode",
                attributes.capabilities().modes().stream().sorted().toList());
        map.put("max_jfc_depth", limits.jfcDepth());
        map.put("max_jfs_depth", limits.jfsDepth());
        map.put("max_jfr_depth", limits.jfrDepth());
        map.put("max_jfs_inline_size", limits.inlineBytes());
        map.put("max_jfs_sge", limits.sges());
        map.put("max_msg_size", limits.messageBytes());
        map.put("max_read_size", limits.readWriteBytes());
        map.put("max_write_size", limits.readWriteBytes());
        map.put("max_jetty", limits.jettiesPerContext());
        map.put("port_count", attributes.ports().size());
        map.put("io_path", attributes.ioPath());
        return map;
    }
}
