package io.urma4j.spi.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ProviderContext.NamedSegment;
import io.urma4j.spi.ProviderContext.PublishedSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.support.ControlEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Looks up names published by other contexts: the file of a name gives the home, and the home answers the rest. Any
 * thread.
 */
public final class Names {
    private final ControlEngine engine;
    private final Directory directory;

    /** The directory of this host's names. Its text names it in messages. */
    public interface Directory {
        /** All names, also those whose home has died since the last sweep. */
        List<String> names();

        /** The owner of a name; empty if no context has published it. */
        Optional<? extends Neighbour> home(String name);
    }

    public Names(ControlEngine engine, Directory directory) {
        this.engine = engine;
        this.directory = directory;
    }

    /** One name, with the token of its segment. */
    public CompletableFuture<NamedSegment> lookup(String name, Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        return engine.ask(() -> ask(name, true, deadlineNanos)
                .thenApply(answer -> new NamedSegment(answer.home.describe(answer.named), answer.named.token())));
    }

    /** All names whose homes answer; one that does not answer in time is left out, or whose answer describes no segment. */
    public CompletableFuture<List<PublishedSegment>> published(Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        return engine.ask(() -> published(deadlineNanos));
    }

    private CompletableFuture<List<PublishedSegment>> published(long deadlineNanos) {
        List<PublishedSegment> found = new ArrayList<>();
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (String name : directory.names()) {
            asked.add(ask(name, false, deadlineNanos)
                    .thenApply(answer -> answer.published(name))
                    .handle((segment, failure) -> failure == null && found.add(segment)));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(_ -> {
            found.sort(Comparator.comparing(PublishedSegment::name));
            return List.copyOf(found);
        });
    }

    private record Found(Neighbour.Greeted home, Named named) {
        PublishedSegment published(String name) {
            return new PublishedSegment(name, home.describe(named), home.toString(), named.users());
        }
    }

    private CompletableFuture<Found> ask(String name, boolean withToken, long deadlineNanos) {
        Optional<? extends Neighbour> home = directory.home(name);
        if (home.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new UrmaException(UrmaStatus.EINVAL, "name '" + name + "'", "is not published in " + directory));
        }
        return home.get()
                .greetAndAsk(
                        deadlineNanos,
                        greeted -> greeted.ask(
                                        Named.class, number -> new Lookup(number, name, withToken), deadlineNanos)
                                .thenApply(named -> new Found(greeted, named)));
    }
}
