package io.urma4j.udma.driver;

import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ProviderContext.NamedSegment;
import io.urma4j.spi.ProviderContext.PublishedSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Looks up names published on this host: the file of a name gives the home, and the home answers the rest. The engine's
 * thread.
 */
final class Names {
    private final UdmaContext context;
    private final HostDirectory directory;

    Names(UdmaContext context, HostDirectory directory) {
        this.context = context;
        this.directory = directory;
    }

    CompletableFuture<NamedSegment> lookup(String name, long deadlineNanos) {
        return ask(name, true, deadlineNanos)
                .thenApply(answer -> new NamedSegment(answer.descriptor(), answer.named.token()));
    }

    /** All names whose homes answer; one that does not answer in time is left out. */
    CompletableFuture<List<PublishedSegment>> published(long deadlineNanos) {
        List<PublishedSegment> found = new ArrayList<>();
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (String name : directory.names()) {
            asked.add(ask(name, false, deadlineNanos).handle((answer, failure) -> {
                if (failure == null) {
                    found.add(new PublishedSegment(
                            name, answer.descriptor(), answer.home.peer().toString(), answer.named.users()));
                }
                return name;
            }));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(_ -> {
            found.sort(Comparator.comparing(PublishedSegment::name));
            return List.copyOf(found);
        });
    }

    private record NameAnswer(Path home, HostDirectory.Place place, Named named) {
        SegmentDescriptor descriptor() {
            return Exports.describe(
                    place,
                    named.tokenId(),
                    named.lengthBytes(),
                    named.access(),
                    named.policy(),
                    List.of(new UdmaEndpoint(place.at(), (int) named.key(), named.vaBase()).toEndpoint()));
        }
    }

    private CompletableFuture<NameAnswer> ask(String name, boolean withToken, long deadlineNanos) {
        Optional<HostDirectory.Place> owner = directory.owner(name);
        if (owner.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new UrmaException(UrmaStatus.EINVAL, "name '" + name + "'", "is not published in " + directory));
        }
        HostDirectory.Place place = owner.get();
        return context.withHome(
                place.at(),
                place.incarnation(),
                deadlineNanos,
                home -> context.askCore(home, Named.class, number -> new Lookup(number, name, withToken), deadlineNanos)
                        .thenApply(named -> new NameAnswer(home, place, named)));
    }
}
