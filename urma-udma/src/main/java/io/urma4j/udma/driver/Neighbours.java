package io.urma4j.udma.driver;

import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.Inspector;
import io.urma4j.spi.control.Names;
import io.urma4j.spi.control.Neighbour;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongFunction;

/** The other contexts of this host, and what they have published. The engine's thread. */
record Neighbours(Peers peers, HostDirectory directory, HostDirectory.Place own) implements Names.Directory {
    /** All but this one. */
    List<Inspector.Resident> others() {
        return directory.contexts().stream()
                .filter(place -> !place.equals(own))
                .map(place -> new Inspector.Resident(place.uasid(), place.incarnation(), new AtPlace(peers, place)))
                .toList();
    }

    @Override
    public List<String> names() {
        return directory.names();
    }

    @Override
    public Optional<Neighbour> home(String name) {
        return directory.owner(name).map(place -> new AtPlace(peers, place));
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    private record AtPlace(Peers peers, HostDirectory.Place place) implements Neighbour {
        @Override
        public CompletableFuture<Greeted> greet(long deadlineNanos) {
            return peers.connect(place.at(), place.incarnation(), deadlineNanos).thenApply(this::greeted);
        }

        @Override
        public <T> CompletableFuture<T> greetAndAsk(long deadlineNanos, Function<Greeted, CompletableFuture<T>> ask) {
            return peers.withHome(place.at(), place.incarnation(), deadlineNanos, home -> ask.apply(greeted(home)));
        }

        private Greeted greeted(Path home) {
            return new Home(peers, place, home);
        }
    }

    private record Home(Peers peers, HostDirectory.Place place, Path path) implements Neighbour.Greeted {
        @Override
        public long features() {
            return path.peer().features();
        }

        @Override
        public String process() {
            return path.peer().process();
        }

        @Override
        public <T extends ControlMessage> CompletableFuture<T> ask(
                Class<T> kind, LongFunction<Request> request, long deadlineNanos) {
            return peers.askCore(path, kind, request::apply, deadlineNanos);
        }

        @Override
        public SegmentDescriptor describe(Named segment) {
            return Exports.describe(
                    place,
                    segment.tokenId(),
                    segment.lengthBytes(),
                    segment.access(),
                    segment.policy(),
                    false,
                    MemoryKind.HOST,
                    List.of(new UdmaEndpoint(place.at(), (int) segment.key(), segment.vaBase()).toEndpoint()));
        }

        @Override
        public String toString() {
            return path.peer().toString();
        }
    }
}
