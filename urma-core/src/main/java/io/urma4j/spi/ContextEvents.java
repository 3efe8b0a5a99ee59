package io.urma4j.spi;

import io.urma4j.AsyncEvent;
import io.urma4j.Resource;
import java.util.List;

/**
 * Where a provider reports what happens without a call, and what it answers who looks in from outside. Called from any
 * thread, returns at once.
 */
@FunctionalInterface
public interface ContextEvents {
    /** Tells the user. The event's source is the provider's own object where there is one; the core puts the user's in its place. */
    void raise(AsyncEvent event);

    /** A message of a queue found no receive work request at its target: told for the first of a flow. */
    default void receiverNotReady(Object queue, Object target) {}

    /** Somebody wants to know how long the steps of the context take, from now on, or not any more. */
    default void measure(boolean on) {}

    /**
     * What the context has of a kind, except what the provider alone knows (TP, WAIT): at most {@code limit}, those with
     * the lowest numbers above {@code after}, in order.
     */
    default List<Resource> resources(Resource.Kind kind, long after, int limit) {
        return List.of();
    }
}
