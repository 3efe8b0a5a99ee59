package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
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

    /**
     * The home's bytes as memory of this process, read-only when the access is; dead once it is revoked or closed. Only
     * called when device and segment are mappable.
     */
    default MemorySegment map() {
        throw new UrmaException(UrmaStatus.EINVAL, this, "cannot be mapped");
    }

    /** The same at the address that they have at the home; fails with EEXIST when something else is there. */
    default CompletableFuture<MemorySegment> mapAtHomeAddress(Duration timeout) {
        return CompletableFuture.failedFuture(
                new UrmaException(UrmaStatus.EINVAL, this, "cannot be mapped at its home's address"));
    }

    /**
     * Opens a window that the home granted to this import; its range and access have been checked. May ask the home the
     * first time; fails with ENOPERM when it was granted to somebody else.
     */
    default CompletableFuture<ProviderWindow> window(WindowKey key, Duration timeout) {
        return CompletableFuture.failedFuture(
                new UrmaException(UrmaStatus.EINVAL, this, "has no windows: the device does not support them"));
    }

    /** Gives it back; after the future completes no operation of this context touches the home's memory. */
    CompletableFuture<Void> close();
}
