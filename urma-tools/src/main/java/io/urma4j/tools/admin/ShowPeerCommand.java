package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.tools.admin.Sight.Seen;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma admin show peer}: the device memory that processes use: clients, devices, registrations. */
@Command(
        name = "peer",
        description = {
            "Show the memory of GPUs and NPUs that processes use: clients with their counters, devices, and registrations with"
                    + " state and holder.",
            "Columns with num_ count as Linux does in /sys/kernel/mm/memory_peers. copies are in progress now. Peers have lent_cnt"
                    + " allocations open; quarantined_bytes were freed and wait for them."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma admin show peer", "  urma admin show peer 4711 --watch 1"})
final class ShowPeerCommand implements Callable<Integer> {
    private static final Set<Kind> KINDS = EnumSet.of(Kind.PEER_CLIENT, Kind.PEER_DEVICE, Kind.PEER_REGION);

    @Mixin
    private ProcessChoice choice;

    @Mixin
    private WatchOption watch;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        ShowCommand.refuseOptionsBefore(spec);
        PrintWriter out = spec.commandLine().getOut();
        EmptyNotice notice = new EmptyNotice(spec.commandLine().getErr(), watch.isAsked());
        try (Sight sight = Sight.open(null)) {
            watch.run(out, () -> print(out, choice.of(sight.look(KINDS)), notice));
        }
        return 0;
    }

    private void print(PrintWriter out, List<Seen> seen, EmptyNotice notice) {
        if (!watch.isAsked()) {
            choice.requireNamed(seen);
        }
        List<ContextView> contexts = seen.stream()
                .flatMap(one -> one.contexts().stream())
                .filter(context ->
                        !context.resources().isEmpty() || !context.failure().isEmpty())
                .toList();
        if (contexts.stream().allMatch(context -> context.resources().isEmpty())) {
            notice.say("no process of this user uses device memory");
        }
        if (json.isAsked()) {
            Json.print(
                    out,
                    contexts.stream()
                            .map(context -> ResourceTables.asMap(context, KINDS))
                            .toList());
        } else {
            for (Kind kind : KINDS) {
                ResourceTables.printTitled(out, contexts, kind);
            }
        }
        ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
        out.flush();
    }
}
