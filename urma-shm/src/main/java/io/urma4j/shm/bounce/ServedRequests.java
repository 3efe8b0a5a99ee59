package io.urma4j.shm.bounce;

import java.util.concurrent.CompletableFuture;

/** The requests in progress of one import of device memory, and the gate that ends them. Safe for any thread. */
public final class ServedRequests {
    private final CompletableFuture<Void> quiet = new CompletableFuture<>();
    private int running; // guarded by this
    private boolean isShut; // guarded by this

    /** Admits a request, which {@link #end} ends; false once the import has ended. */
    synchronized boolean tryBegin() {
        if (!isShut) {
            running++;
        }
        return !isShut;
    }

    /** The last copy of a request has ended. */
    void end() {
        boolean isQuiet;
        synchronized (this) {
            running--;
            isQuiet = isShut && running == 0;
        }
        if (isQuiet) {
            quiet.complete(null);
        }
    }

    /** Admits no further request. Completed once none is in progress: then no byte moves by this import. Idempotent. */
    public CompletableFuture<Void> shut() {
        boolean isQuiet;
        synchronized (this) {
            isShut = true;
            isQuiet = running == 0;
        }
        if (isQuiet) {
            quiet.complete(null);
        }
        return quiet;
    }
}
