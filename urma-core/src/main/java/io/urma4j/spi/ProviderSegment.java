package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A registered segment of this process: source and destination of its own operations, and importable by peers. */
public interface ProviderSegment {
    int tokenId();

    /** What a peer needs to import it, except the token. */
    SegmentDescriptor descriptor();

    /** A description of each current importer. */
    List<String> importers();

    /** The current importers, which may be granted windows. */
    default List<Importer> importing() {
        return List.of();
    }

    /**
     * Grants an importer a window without a request to it (S7.10). The range has been checked.
     *
     * @throws UrmaException EINVAL if the importer no longer imports the segment, or windows cannot be enforced; ENOPERM if
     *     the importer has less access; ENOMEM if the limit of concurrent windows is reached
     */
    default ProviderGrant grant(Importer importer, long offset, long lengthBytes, Access access) {
        throw new UrmaException(UrmaStatus.EINVAL, this, "cannot grant windows: the device does not support them");
    }

    /**
     * Grants a peer a window, whether or not it imports the segment (S14.32). Its key is valid for the peer that proves this
     * identity, with each of its imports of the segment. The range has been checked.
     *
     * @throws UrmaException EINVAL if windows cannot be enforced, or the segment was revoked; ENOMEM if the limit of
     *     concurrent windows is reached
     */
    default ProviderGrant grant(PeerId peer, long offset, long lengthBytes, Access access) {
        throw new UrmaException(UrmaStatus.EINVAL, this, "cannot grant windows: the device does not support them");
    }

    /**
     * Grants a range of a windows-only segment to the peer of an RC Jetty, which is bound by a RoCE endpoint (S7.16). The range has
     * been checked.
     *
     * @throws UrmaException EINVAL if the Jetty is not bound in that way, or the segment was revoked; ENOMEM if the limit of
     *     concurrent windows is reached
     */
    default ProviderRoceGrant grant(ProviderSendQueue jetty, long offset, long lengthBytes, Access access) {
        throw new UrmaException(UrmaStatus.EINVAL, jetty, "is bound to no RoCE endpoint: its device has no such peers");
    }

    /**
     * Runs {@code onNotify} after each value that a peer's WRITE_NOTIFY has stored into the segment, after a full fence. It
     * runs on any thread, and returns at once. Called at most once.
     *
     * @return false if peers store to the memory directly: then it never runs
     */
    default boolean watch(Runnable onNotify) {
        return false;
    }

    /** Its device memory is gone. Importers lose access, as by {@link #unregister}; the segment stays. Returns at once. */
    default void memoryLost() {}

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();

    /**
     * Publishes the segment under a name until it is unregistered; fails with EEXIST if the name is taken.
     *
     * @param withToken whether a lookup of the name also returns the token
     */
    CompletableFuture<Void> publish(String name, boolean withToken);

    /** The current token. */
    Token token();

    /** Replaces the token by {@code next}; current importers are revoked, as by {@link #unregister} (S7.5). */
    CompletableFuture<Revocation> rotate(Token next, Duration timeout);

    /**
     * Revokes the segment from all importers. The future completes with the result once no remote operation touches the
     * memory any more, or at the timeout (S7.9).
     */
    CompletableFuture<Revocation> unregister(Duration timeout);
}
