package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.SegmentDescriptor;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Request;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class InspectorTest {
    private static final Set<Kind> KINDS = Set.of(Kind.TP, Kind.PORT, Kind.DROPS, Kind.WAIT, Kind.POOL);

    private final Home home = new Home();

    /** A context with one object of each kind, of a version before {@link Kind#PORT}. */
    private record Older(UrmaStatus refusal) implements Neighbour, Neighbour.Greeted {
        @Override
        public CompletableFuture<Greeted> greet(long deadlineNanos) {
            return CompletableFuture.completedFuture(this);
        }

        @Override
        public long features() {
            return ControlCodec.FEATURE_INSPECT;
        }

        @Override
        public String process() {
            return "pid 17";
        }

        @Override
        public <T extends ControlMessage> CompletableFuture<T> ask(
                Class<T> kind, LongFunction<Request> request, long deadlineNanos) {
            Inspect asked = (Inspect) request.apply(1);
            if (asked.kind() >= ResourceText.number(Kind.PORT)) {
                return CompletableFuture.failedFuture(new UrmaException(refusal, this, "of a test"));
            }
            Resource only = Resource.builder(ResourceText.kind(asked.kind()).orElseThrow(), 1)
                    .build();
            return CompletableFuture.completedFuture(kind.cast(Inspector.page(1, asked, (_, _, _) -> List.of(only))));
        }

        @Override
        public SegmentDescriptor describe(Named segment) {
            throw new AssertionError("is not asked for");
        }
    }

    private ContextView inspect(UrmaStatus refusal) {
        var inspector = new Inspector(home, () -> List.of(new Inspector.Resident(7, 1, new Older(refusal))));
        return inspector.inspect(KINDS, Duration.ofSeconds(1)).join().getFirst();
    }

    @Test
    void anOlderContextShowsTheKindsThatItHas() {
        ContextView view = inspect(UrmaStatus.EINVAL);

        assertThat(view.failure()).isEmpty();
        assertThat(view.resources()).extracting(Resource::kind).containsExactly(Kind.TP, Kind.WAIT, Kind.POOL);
    }

    @Test
    void anyOtherRefusalIsTheEnd() {
        ContextView view = inspect(UrmaStatus.ENOPERM);

        assertThat(view.failure()).contains("of a test");
        assertThat(view.resources()).extracting(Resource::kind).containsExactly(Kind.TP);
    }
}
