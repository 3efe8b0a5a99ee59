package io.urma4j.spi.control;

import io.urma4j.SegmentDescriptor;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Request;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Another context of this host, according to its file: it may have just died. */
public interface Neighbour {
    /** Greets it, unless that was done. The future fails with ETIMEOUT if it is gone, or does not greet in time. */
    CompletableFuture<Greeted> greet(long deadlineNanos);

    /**
     * Greets it and sends a request; repeats it once if the provider knows that the peer has evicted this context
     * meanwhile.
     */
    default <T> CompletableFuture<T> greetAndAsk(long deadlineNanos, Function<Greeted, CompletableFuture<T>> ask) {
        return greet(deadlineNanos).thenCompose(ask);
    }

    /** A neighbour that has greeted. Its text is that of the peer, for messages. */
    interface Greeted {
        /** The features in its greeting. */
        long features();

        /** {@code pid 17}, or why the number is unknown here. */
        String process();

        /**
         * Sends a request. The future fails with the status of a refusal, with ETIMEOUT, or with FAIL for an answer of
         * another kind.
         *
         * @param request creates the request from its number
         */
        <T extends ControlMessage> CompletableFuture<T> ask(
                Class<T> kind, LongFunction<Request> request, long deadlineNanos);

        /** The descriptor of a segment that it published. */
        SegmentDescriptor describe(Named segment);
    }
}
