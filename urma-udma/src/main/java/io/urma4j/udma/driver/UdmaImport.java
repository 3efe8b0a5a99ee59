package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An imported segment of a peer, or a window of it: a key of the peer's card. Any thread. */
final class UdmaImport implements ProviderImport {
    private final Imports imports;
    private final @Nullable Path path;
    private final @Nullable UdmaImport whole; // of a window
    private final int key;
    private final long named;
    private final long vaBase;
    private final long lengthBytes;
    private final Access access;
    private final boolean windowsOnly;
    private final int tokenId;
    private final String what;
    private final AtomicInteger unfinished = new AtomicInteger();
    private volatile boolean revoked;

    private UdmaImport(
            Imports imports,
            @Nullable Path path,
            @Nullable UdmaImport whole,
            int key,
            long named,
            long vaBase,
            long lengthBytes,
            Access access,
            boolean windowsOnly,
            int tokenId,
            String what) {
        this.imports = imports;
        this.path = path;
        this.whole = whole;
        this.key = key;
        this.named = named;
        this.vaBase = vaBase;
        this.lengthBytes = lengthBytes;
        this.access = access;
        this.windowsOnly = windowsOnly;
        this.tokenId = tokenId;
        this.what = what;
    }

    /**
     * One that the peer has granted.
     *
     * @param named number of all imports of the segment by this context, in the keys of its windows
     * @param windowsOnly whether the key opens nothing, and only windows do
     */
    static UdmaImport granted(
            Imports imports,
            Path path,
            SegmentGranted granted,
            long named,
            Access access,
            boolean windowsOnly,
            int tokenId) {
        return new UdmaImport(
                imports,
                path,
                null,
                (int) granted.grant(),
                named,
                granted.offset(),
                granted.lengthBytes(),
                access,
                windowsOnly,
                tokenId,
                "import of segment " + tokenId + " of " + path.peer());
    }

    /** One that was described by hand: for RC Jetties that are connected by hand. */
    static UdmaImport byHand(Imports imports, int key, long vaBase, long lengthBytes, Access access, String what) {
        return new UdmaImport(imports, null, null, key, 0, vaBase, lengthBytes, access, false, 0, what);
    }

    // ---- for the queues

    /** What packets carry. */
    int key() {
        return key;
    }

    /** The address of its first byte at the peer. */
    long vaBase() {
        return vaBase;
    }

    /** The card's handle of the peer's memory; 0 for one that only RC Jetties can reach. */
    int memoryTarget() {
        return path == null ? 0 : path.memoryTarget();
    }

    /** The peer; null for a foreign peer. */
    @Nullable
    Path path() {
        return path;
    }

    /** The peer's card refused a work request on it; for a window, this shows that it was revoked. */
    void refused() {
        if (whole != null) {
            markRevoked();
        }
    }

    /** The token id of the segment at its home. */
    int tokenId() {
        return tokenId;
    }

    /** Counts a work request that names it. */
    void pin() {
        unfinished.getAndIncrement();
    }

    void unpin() {
        unfinished.getAndDecrement();
    }

    // ---- ProviderImport

    void markRevoked() {
        revoked = true;
    }

    long grant() {
        return Integer.toUnsignedLong(key);
    }

    @Override
    public Access access() {
        return access;
    }

    @Override
    public boolean isWindowsOnly() {
        return windowsOnly;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public boolean isRevoked() {
        return revoked || (whole != null && whole.revoked);
    }

    @Override
    public int unfinished() {
        if (unfinished.get() > 0) {
            imports.settle();
        }
        return unfinished.get();
    }

    @Override
    public CompletableFuture<ProviderWindow> window(WindowKey window, Duration timeout) {
        CardKey windowKey = CardKey.of(window, vaBase);
        if (path == null || (window.importNumber() != grant() && window.importNumber() != named)) {
            return CompletableFuture.failedFuture(new UrmaException(
                    UrmaStatus.ENOPERM, this, "the window was granted to another import, or by another home"));
        }
        if (!windowKey.isPossible()) {
            return CompletableFuture.failedFuture(new UrmaException(
                    UrmaStatus.EINVAL, this, "no window has the slot " + window.slot() + " in that generation"));
        }
        if (isRevoked()) {
            return CompletableFuture.failedFuture(new UrmaException(UrmaStatus.EINVAL, this, "was revoked"));
        }
        UdmaImport part = new UdmaImport(
                imports,
                path,
                this,
                windowKey.number(),
                named,
                windowKey.vaBase(),
                window.lengthBytes(),
                window.access(),
                false,
                tokenId,
                "window of " + what);
        return CompletableFuture.completedFuture(new Window(part));
    }

    /**
     * A window of an import: a separate key at the peer's card. A revocation sends no notification; the first refused operation
     * shows it.
     */
    private record Window(UdmaImport part) implements ProviderWindow {
        @Override
        public ProviderImport begin() {
            return part;
        }

        @Override
        public void end() {
            // nothing to announce: the home's card checks the key
        }

        @Override
        public boolean isTakenBack() {
            return part.isRevoked();
        }

        @Override
        public int unfinished() {
            return part.unfinished();
        }
    }

    @Override
    public CompletableFuture<Void> close() {
        if (path != null
                && whole == null) { // no home granted one described by hand; a window is given back with the whole
            imports.close(this);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        return what;
    }
}
