package io.urma4j.shm.control;

import io.urma4j.SegmentDescriptor;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.control.Names;
import io.urma4j.spi.control.Neighbour;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** The other contexts of the runtime directory, and what they have published. The engine's thread. */
record Neighbours(RuntimeDirectory directory, PeerId self, Peers peers, Requests requests) implements Names.Directory {
    /** All but this context. */
    List<Inspector.Resident> others() {
        return directory.residents().stream()
                .filter(resident -> !resident.id().equals(self))
                .map(resident ->
                        new Inspector.Resident(resident.uasid(), resident.id().incarnation(), neighbour(resident.id())))
                .toList();
    }

    @Override
    public List<String> names() {
        return directory.names();
    }

    @Override
    public Optional<Neighbour> home(String name) {
        try {
            return directory.readName(name).map(file -> neighbour(file.home()));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // no name that a context could have published
        }
    }

    private Neighbour neighbour(PeerId id) {
        return deadlineNanos -> peers.connect(id, deadlineNanos).thenApply(peer -> new Home(peer, requests));
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    private record Home(Peer peer, Requests requests) implements Neighbour.Greeted {
        @Override
        public long features() {
            return peer.features();
        }

        @Override
        public String process() {
            return peer.pid() == 0 ? "in another pid namespace" : "pid " + peer.pid();
        }

        @Override
        public <T extends ControlMessage> CompletableFuture<T> ask(
                Class<T> kind, LongFunction<Request> request, long deadlineNanos) {
            return requests.ask(peer, deadlineNanos, request).thenApply(reply -> reply.as(kind));
        }

        @Override
        public SegmentDescriptor describe(Named segment) {
            return Exports.describe(
                    peer.eid(),
                    peer.uasid(),
                    peer.id(),
                    segment.tokenId(),
                    segment.key(),
                    segment.lengthBytes(),
                    segment.access(),
                    segment.policy(),
                    segment.vaBase());
        }

        @Override
        public String toString() {
            return peer.toString();
        }
    }
}
