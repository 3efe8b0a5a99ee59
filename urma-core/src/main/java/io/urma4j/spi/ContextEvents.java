package io.urma4j.spi;

import io.urma4j.AsyncEvent;
import io.urma4j.Resource;
import io.urma4j.peer.PeerMemoryRegistry;
import java.util.List;
import java.util.Optional;

/**
 * Callbacks of a provider's context: it reports asynchronous events, and answers inspection. Called from any thread; each
 * call returns at once.
 */
@FunctionalInterface
public interface ContextEvents {
    /**
     * Raises an event to the user. The event's source is the provider's own object, if there is one; the core replaces it
     * by the user's.
     */
    void raise(AsyncEvent event);

    /**
     * A message of a queue found no receive work request at its target; reported once per flow until a message is received.
     */
    default void receiverNotReady(Object queue, Object target) {}

    /** Starts or stops measuring the stages of the context, at the request of another process. */
    default void measure(boolean on) {}

    /**
     * The context's objects of a kind, except those that only the provider knows (TP, WAIT): at most {@code limit}, in
     * order, with the lowest numbers above {@code after}.
     */
    default List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return List.of();
    }

    /** The device memory of the library; empty before the program uses it. */
    default Optional<PeerMemoryRegistry> peerMemory() {
        return Optional.empty();
    }
}
