package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A registered region of this process: source and destination of its own operations, and what peers import. */
public interface ProviderSegment {
    int tokenId();

    /** What a peer needs to import it, except the token. */
    SegmentDescriptor descriptor();

    /** One description per importer that has it now. */
    List<String> importers();

    /** Who has it now, and may be given windows of it. */
    default List<Importer> importing() {
        return List.of();
    }

    /**
     * Gives an importer a window, without asking anybody (S7.10). The range has been checked.
     *
     * @throws UrmaException EINVAL when he has it no more, or windows cannot be enforced; ENOPERM when he may do less
     *     himself; ENOMEM when there are too many
     */
    default ProviderGrant grant(Importer importer, long offset, long lengthBytes, Access access) {
        throw new UrmaException(UrmaStatus.EINVAL, this, "cannot grant windows: the device does not support them");
    }

    /**
     * Has {@code onNotify} run after each value that a peer's WRITE_NOTIFY has stored into it, behind a full fence. It runs
     * on any thread, and returns at once. Called once at most.
     *
     * @return false where peers store to the memory by themselves: then it never runs
     */
    default boolean watch(Runnable onNotify) {
        return false;
    }

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();

    /**
     * Makes it visible under a name until it is unregistered; fails with EEXIST when the name is taken.
     *
     * @param withToken whether who looks the name up gets the token, too
     */
    CompletableFuture<Void> publish(String name, boolean withToken);

    /** The secret that importers need now. */
    Token token();

    /**
     * From now on importers need {@code next}; those that it has now are revoked, as {@link #unregister} does (S7.5).
     */
    CompletableFuture<Revocation> rotate(Token next, Duration timeout);

    /**
     * Revokes it from all importers. The future completes with the result when no remote operation touches the memory
     * any more, or when the timeout is over (S7.9).
     */
    CompletableFuture<Revocation> unregister(Duration timeout);
}
