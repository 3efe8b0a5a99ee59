package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** An imported segment of a peer. */
public interface ProviderImport {
    /** The access that the home granted. */
    Access access();

    long lengthBytes();

    /** True once the home revoked it, or died. Operations then end with REM_ACCESS_ABORT_ERR. */
    boolean isRevoked();

    /** True if the home opens windows of it alone (S14.31): then the caller posts on {@link #window}s only. */
    default boolean isWindowsOnly() {
        return false;
    }

    /** Whether READs and WRITEs need no action of the home, although its memory is a device's: this process has opened it. */
    default boolean isDeviceMemoryOpened() {
        return false;
    }

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();

    /**
     * Maps the home's bytes into this process, read-only if the access is; invalid once the import is revoked or closed.
     * Only called if device and segment are mappable.
     */
    default MemorySegment map() {
        throw new UrmaException(UrmaStatus.EINVAL, this, "cannot be mapped");
    }

    /** Like {@link #map}, but at the home's own address; fails with EEXIST if that address is in use. */
    default CompletableFuture<MemorySegment> mapAtHomeAddress(Duration timeout) {
        return CompletableFuture.failedFuture(
                new UrmaException(UrmaStatus.EINVAL, this, "cannot be mapped at its home's address"));
    }

    /**
     * Opens a window that the home granted to this import; its range and access have been checked. May ask the home the
     * first time; fails with ENOPERM if it was granted to another import.
     */
    default CompletableFuture<ProviderWindow> window(WindowKey key, Duration timeout) {
        return CompletableFuture.failedFuture(
                new UrmaException(UrmaStatus.EINVAL, this, "has no windows: the device does not support them"));
    }

    /** Whether {@link #window} completes at once, since its home need not be asked. */
    default boolean opensAtOnce(WindowKey key) {
        return true;
    }

    /** Releases the import; after the future completes, no operation of this context touches the home's memory. */
    CompletableFuture<Void> close();
}
