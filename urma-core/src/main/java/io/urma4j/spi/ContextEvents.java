package io.urma4j.spi;

import io.urma4j.AsyncEvent;

/** Where a provider reports what happens without a call. Called from any thread, returns at once. */
@FunctionalInterface
public interface ContextEvents {
    void raise(AsyncEvent event);
}
