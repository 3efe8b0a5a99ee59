package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma admin show pool}: the pools of registered buffers, their slabs, and the peers that have windows of them. */
@Command(
        name = "pool",
        description = {
            "Show the pools of registered buffers: memory, leases, waiters, quarantine; for each size of blocks its slabs;"
                    + " and for each peer the windows that it has.",
            "oldest_s is the age of the oldest lease that the pool's leak detection tracks."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma admin show pool", "  urma admin show pool blocks --watch 1"})
final class ShowPoolCommand implements Callable<Integer> {
    private static final Set<Kind> KINDS = EnumSet.of(Kind.POOL, Kind.POOL_CLASS, Kind.POOL_PEER);

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "Show only pools of this name. A pool without a name has a number, as in pool-1.")
    private @Nullable String name;

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
            watch.run(out, () -> print(out, contexts(sight), notice));
        }
        return 0;
    }

    /** The contexts that have a pool that was asked for, or gave no whole answer. */
    private List<ContextView> contexts(Sight sight) throws InterruptedException {
        return sight.look(KINDS).stream()
                .flatMap(seen -> seen.contexts().stream())
                .map(this::chosen)
                .filter(context ->
                        !context.resources().isEmpty() || !context.failure().isEmpty())
                .toList();
    }

    private ContextView chosen(ContextView context) {
        List<Resource> chosen = context.resources().stream()
                .filter(resource -> name == null || resource.field("pool").equals(name))
                .toList();
        return new ContextView(context.uasid(), context.incarnation(), context.process(), chosen, context.failure());
    }

    private void print(PrintWriter out, List<ContextView> contexts, EmptyNotice notice) {
        if (contexts.stream().allMatch(context -> context.resources().isEmpty())) {
            if (name != null && !watch.isAsked()) {
                ResourceTables.tellFailures(spec.commandLine().getErr(), contexts);
                throw new CommandFailure("no process of this user has a pool named '" + name + "' open");
            }
            notice.say("no process of this user has a pool open");
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
