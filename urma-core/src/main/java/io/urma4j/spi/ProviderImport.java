package io.urma4j.spi;

import io.urma4j.Access;
import java.util.concurrent.CompletableFuture;

/** A segment of a peer that this context may operate on. */
public interface ProviderImport {
    /** What the home granted. */
    Access access();

    long lengthBytes();

    /** True once the home took it back, or died. Operations then end with REM_ACCESS_ABORT_ERR. */
    boolean isRevoked();

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();

    /** Gives it back; after the future completes no operation of this context touches the home's memory. */
    CompletableFuture<Void> close();
}
