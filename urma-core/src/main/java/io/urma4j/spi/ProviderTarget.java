package io.urma4j.spi;

import io.urma4j.JettyId;
import java.util.concurrent.CompletableFuture;

/** A JFR or Jetty of a peer that this context may send to. */
public interface ProviderTarget {
    JettyId id();

    /** Whether its context is not known to be gone (S12.7). Any thread. */
    boolean isConnected();

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();

    CompletableFuture<Void> close();
}
