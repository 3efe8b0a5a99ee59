package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma sockets}: the connections of programs that run by {@code urma run}, or with the agent. */
@Command(
        name = "sockets",
        description = {
            "Show the connections of programs whose sockets use urma4j, as 'ss' shows those of the kernel.",
            "transport is shm0 for shared memory, udma0 between hosts, or tcp; then reason says why. Bytes and what is "
                    + "queued are those of the rings. A doorbell is a byte over TCP that wakes an end that sleeps."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma sockets", "  urma sockets 4711 --watch 1"})
public final class SocketsCommand implements Callable<Integer> {
    private static final Set<Kind> KINDS = Set.of(Kind.SOCKET);

    @Mixin
    private ProcessChoice process;

    @Mixin
    private WatchOption watch;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    private SocketsCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        EmptyNotice notice = new EmptyNotice(spec.commandLine().getErr(), watch.isAsked());
        try (Sight sight = Sight.open("shm0")) {
            watch.run(out, () -> print(out, sight, notice));
        }
        return 0;
    }

    private void print(PrintWriter out, Sight sight, EmptyNotice notice) throws InterruptedException {
        List<Sight.Seen> seen = process.of(sight.look(KINDS));
        process.requireNamed(seen);
        List<ContextView> contexts = seen.stream()
                .flatMap(one -> one.contexts().stream())
                .filter(context ->
                        !context.resources().isEmpty() || !context.failure().isEmpty())
                .toList();
        if (contexts.isEmpty()) {
            notice.say("no process of this user has connections of urma-socket");
        }
        if (json.isAsked()) {
            Json.print(
                    out,
                    contexts.stream()
                            .map(context -> ResourceTables.asMap(context, KINDS))
                            .toList());
        } else if (!contexts.isEmpty()) {
            ResourceTables.print(out, contexts, Kind.SOCKET);
        }
        ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
        out.flush();
    }
}
