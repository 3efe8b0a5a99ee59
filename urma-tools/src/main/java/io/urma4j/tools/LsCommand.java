package io.urma4j.tools;

import io.urma4j.PublishedName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma ls}: the memory that is shared by name, and its importers. */
@Command(
        name = "ls",
        description = {
            "List the memory that this user's processes share by name on this host, and its importers.",
            "",
            "Each kind of device has its own names: use -d udma0 to list those of the network."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma ls", "  urma ls -d udma0", "  urma ls --json | jq -r '.[].name'"})
final class LsCommand implements Callable<Integer> {
    @Mixin
    private DeviceOption device;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        try (Session session = Session.open(device.name())) {
            String kind = session.context().device().attributes().provider();
            List<PublishedName> names = session.context().publishedNames();
            if (json.isAsked()) {
                Json.print(
                        spec.commandLine().getOut(),
                        names.stream().map(name -> asMap(kind, name)).toList());
            } else {
                print(kind, names);
            }
            return 0;
        }
    }

    private void print(String kind, List<PublishedName> names) {
        if (names.isEmpty()) {
            spec.commandLine().getErr().println("urma: no memory is shared by name; 'urma share --name' shares some");
            return;
        }
        Table table = new Table().words("NAME").figures("SIZE").words("ACCESS").words("HOME");
        table.words("USERS");
        for (PublishedName name : names) {
            table.row(
                    kind + ":" + name.name(),
                    Units.bytes(name.descriptor().lengthBytes()),
                    AccessConverter.letters(name.descriptor().access()),
                    name.home(),
                    name.users().isEmpty() ? "-" : String.join("; ", name.users()));
        }
        table.print(spec.commandLine().getOut());
    }

    private static Map<String, Object> asMap(String kind, PublishedName name) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", kind + ":" + name.name());
        map.put("sizeBytes", name.descriptor().lengthBytes());
        map.put("access", name.descriptor().access());
        map.put("home", name.home());
        map.put("users", name.users());
        return map;
    }
}
