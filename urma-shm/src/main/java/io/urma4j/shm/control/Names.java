package io.urma4j.shm.control;

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

/** Looks up published names: the file of a name gives the home, and the home answers the rest. */
final class Names {
    private final RuntimeDirectory directory;
    private final Peers peers;
    private final Requests requests;

    Names(RuntimeDirectory directory, Peers peers, Requests requests) {
        this.directory = directory;
        this.peers = peers;
        this.requests = requests;
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
                            name, answer.descriptor(), answer.home.toString(), answer.named.users()));
                }
                return name;
            }));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            found.sort(Comparator.comparing(PublishedSegment::name));
            return List.copyOf(found);
        });
    }

    private record NameAnswer(Peer home, Named named) {
        SegmentDescriptor descriptor() {
            return Exports.describe(
                    home.eid(),
                    home.uasid(),
                    home.id(),
                    named.tokenId(),
                    named.key(),
                    named.lengthBytes(),
                    named.access(),
                    named.policy(),
                    named.vaBase());
        }
    }

    private CompletableFuture<NameAnswer> ask(String name, boolean withToken, long deadlineNanos) {
        Optional<NameRecord> file = read(name);
        if (file.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new UrmaException(UrmaStatus.EINVAL, "name '" + name + "'", "is not published in " + directory));
        }
        return peers.connect(file.get().home(), deadlineNanos)
                .thenCompose(home -> requests.ask(home, deadlineNanos, number -> new Lookup(number, name, withToken)))
                .thenApply(reply -> new NameAnswer(reply.from(), reply.as(Named.class)));
    }

    private Optional<NameRecord> read(String name) {
        try {
            return directory.readName(name);
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // no name that anybody could have published
        }
    }
}
