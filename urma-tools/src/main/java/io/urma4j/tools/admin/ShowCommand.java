package io.urma4j.tools.admin;

import io.urma4j.DeviceAttributes;
import io.urma4j.Resource.Kind;
import io.urma4j.UrmaDevice;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.tools.Table;
import io.urma4j.tools.admin.Sight.Seen;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code urma admin show}: devices, and the contexts open on them. */
@Command(
        name = "show",
        description = "Show the devices, and the contexts that processes of this user have opened on them.",
        subcommands = {ShowDevCommand.class, ShowPoolCommand.class, ShowPeerCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma admin show",
            "  urma admin show --whole --watch",
            "  urma admin show dev shm0 jetty",
            "  urma admin show pool",
            "  urma admin show peer"
        },
        exitCodeList = {"0:success, or a watch was ended by Ctrl-C", "1:failure, explained on stderr", "2:usage error"})
final class ShowCommand implements Callable<Integer> {
    @Option(names = "--whole", description = "Show all objects of the contexts.")
    private boolean whole;

    @Mixin
    private WatchOption watch;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Set<Kind> kinds = EnumSet.of(Kind.CONTEXT, Kind.PORT, Kind.DROPS);
        if (whole) {
            kinds = EnumSet.complementOf(EnumSet.of(Kind.EVENT, Kind.PERF));
        }
        Set<Kind> wanted = kinds;
        PrintWriter out = spec.commandLine().getOut();
        try (Sight sight = Sight.open(null)) {
            watch.run(out, () -> print(out, sight.look(wanted), wanted));
        }
        return 0;
    }

    /** Fails if options precede the subcommand: they would have no effect. */
    static void refuseOptionsBefore(CommandSpec subcommand) {
        boolean anyBefore = subcommand.parent().userObject() instanceof ShowCommand show && show.hasOptions();
        if (anyBefore) {
            throw new ParameterException(
                    subcommand.commandLine(),
                    "options go behind the subcommand, as in '" + subcommand.qualifiedName() + " --json'");
        }
    }

    private boolean hasOptions() {
        return whole || watch.isAsked() || json.isAsked();
    }

    private void print(PrintWriter out, List<Seen> seen, Set<Kind> kinds) {
        if (json.isAsked()) {
            Json.print(out, seen.stream().map(one -> asMap(one, kinds)).toList());
            return;
        }
        printDevices(out, seen);
        for (Seen one : seen) {
            if (one.contexts().isEmpty()) {
                out.println();
                out.println("no process uses " + one.device().name());
            }
            for (Kind kind : kinds) {
                ResourceTables.printTitled(out, one.contexts(), kind);
            }
            ResourceTables.tellFailures(spec.commandLine().getErr(), one.contexts());
        }
        out.flush();
    }

    private static void printDevices(PrintWriter out, List<Seen> seen) {
        Table table = new Table().figures("num").words("ubep_dev").words("tp_type");
        table.words("eid").words("link");
        int number = 0;
        for (Seen one : seen) {
            UrmaDevice device = one.device();
            String type = device.attributes().provider().toUpperCase(Locale.ROOT);
            for (int i = 0; i < device.eids().size(); i++) {
                table.row(
                        number++,
                        device.name(),
                        type,
                        "eid" + i + " " + device.eids().get(i),
                        link(device.attributes()));
            }
        }
        table.print(out);
    }

    private static String link(DeviceAttributes attributes) {
        boolean active =
                attributes.ports().isEmpty() || attributes.ports().stream().anyMatch(DeviceAttributes.Port::active);
        return active ? "ACTIVE" : "DOWN";
    }

    private static Map<String, Object> asMap(Seen seen, Set<Kind> kinds) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("ubep_dev", seen.device().name());
        map.put("tp_type", seen.device().attributes().provider().toUpperCase(Locale.ROOT));
        map.put("eid", seen.device().eids());
        map.put("link", link(seen.device().attributes()));
        map.put(
                "contexts",
                seen.contexts().stream()
                        .map(context -> ResourceTables.asMap(context, kinds))
                        .toList());
        return map;
    }
}
