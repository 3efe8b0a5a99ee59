package io.urma4j.udma.driver;

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
import java.util.function.Function;
import java.util.function.LongFunction;

/** The other contexts of this host, and what they have published. The engine's thread. */
record Neighbours(UdmaContext context, HostDirectory directory) implements Names.Directory {
    /** All but this context. */
    List<Inspector.Resident> others() {
        return directory.contexts().stream()
                .filter(place -> !place.equals(context.place()))
                .map(place -> new Inspector.Resident(place.uasid(), place.incarnation(), new AtPlace(context, place)))
                .toList();
    }

    @Override
    public List<String> names() {
        return directory.names();
    }

    @Override
    public Optional<Neighbour> home(String name) {
        return directory.owner(name).map(place -> new AtPlace(context, place));
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    private record AtPlace(UdmaContext context, HostDirectory.Place place) implements Neighbour {
        @Override
        public CompletableFuture<Greeted> greet(long deadlineNanos) {
            return context.connect(place.at(), place.incarnation(), deadlineNanos)
                    .thenApply(this::greeted);
        }

        @Override
        public <T> CompletableFuture<T> greetAndAsk(long deadlineNanos, Function<Greeted, CompletableFuture<T>> ask) {
            return context.withHome(place.at(), place.incarnation(), deadlineNanos, home -> ask.apply(greeted(home)));
        }

        private Greeted greeted(Path home) {
            return new Home(context, place, home);
        }
    }

    private record Home(UdmaContext context, HostDirectory.Place place, Path path) implements Neighbour.Greeted {
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
            return context.askCore(path, kind, request::apply, deadlineNanos);
        }

        @Override
        public SegmentDescriptor describe(Named segment) {
            return Exports.describe(
                    place,
                    segment.tokenId(),
                    segment.lengthBytes(),
                    segment.access(),
                    segment.policy(),
                    List.of(new UdmaEndpoint(place.at(), (int) segment.key(), segment.vaBase()).toEndpoint()));
        }

        @Override
        public String toString() {
            return path.peer().toString();
        }
    }
}
