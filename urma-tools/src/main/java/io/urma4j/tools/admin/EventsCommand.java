package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.tools.DeviceOption;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code urma admin events}: asynchronous events. */
@Command(
        name = "events",
        description = {
            "Show the last 128 asynchronous events of each context: failed queues, revoked segments, lost "
                    + "peers, refused imports.",
            "Events are shown whether the application has read them or not, and stay available to it."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma admin events", "  urma admin events --follow", "  urma admin events --follow --json"},
        exitCodeList = {"0:success, or a watch was ended by Ctrl-C", "1:failure, explained on stderr", "2:usage error"})
final class EventsCommand implements Callable<Integer> {
    private static final long PAUSE_MILLIS = 250;

    @Option(
            names = {"-f", "--follow"},
            description = "Keep printing new events until Ctrl-C.")
    private boolean follow;

    @Mixin
    private DeviceOption device;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    /** The last event that was shown of each context. */
    private final Map<Long, Long> shown = new HashMap<>();

    /** The contexts that did not answer, by incarnation. */
    private final Set<Long> silent = new HashSet<>();

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        EmptyNotice notice = new EmptyNotice(spec.commandLine().getErr(), follow);
        try (Sight sight = Sight.open(device.name())) {
            printNew(out, sight, notice);
            while (follow) {
                Thread.sleep(PAUSE_MILLIS);
                printNew(out, sight, notice);
            }
        } catch (InterruptedException e) {
            if (!follow) {
                throw e;
            } // Ctrl-C is the way to end it
        }
        return 0;
    }

    /** An event and its context. */
    private record Happened(ContextView context, Resource event) {}

    private void printNew(PrintWriter out, Sight sight, EmptyNotice notice) throws InterruptedException {
        List<Happened> events = new ArrayList<>();
        List<Sight.Seen> all = sight.look(Set.of(Kind.EVENT));
        notice.check(all);
        for (Sight.Seen seen : all) {
            tellSilent(seen.contexts());
            for (ContextView context : seen.contexts()) {
                for (Resource event : context.resources(Kind.EVENT)) {
                    if (event.id() > shown.getOrDefault(context.incarnation(), 0L)) {
                        shown.put(context.incarnation(), event.id());
                        events.add(new Happened(context, event));
                    }
                }
            }
        }
        if (shown.isEmpty() && silent.isEmpty()) {
            notice.say("no context has events");
        }
        events.sort(Comparator.comparing(happened -> happened.event().field("time")));
        if (json.isAsked() && !follow) {
            Json.print(out, events.stream().map(EventsCommand::asMap).toList());
        } else {
            events.forEach(happened -> print(out, happened));
        }
        out.flush();
    }

    /** Prints on stderr, once for each, which contexts did not answer: their events are missing. */
    private void tellSilent(List<ContextView> contexts) {
        List<ContextView> untold = contexts.stream()
                .filter(context -> !context.failure().isEmpty() && silent.add(context.incarnation()))
                .toList();
        ResourceTables.tellFailures(spec.commandLine().getErr(), untold);
    }

    private void print(PrintWriter out, Happened happened) {
        if (json.isAsked()) {
            Json.printLine(out, asMap(happened));
            return;
        }
        Resource event = happened.event();
        out.println(String.join(
                "  ",
                event.field("time"),
                String.valueOf(happened.context().uasid()),
                happened.context().process(),
                event.field("type"),
                event.field("object") + ": " + event.field("detail")));
    }

    private static Map<String, Object> asMap(Happened happened) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("uasid", happened.context().uasid());
        map.put("process", happened.context().process());
        map.putAll(ResourceTables.asMap(happened.event()));
        return map;
    }
}
