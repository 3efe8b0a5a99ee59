package io.urma4j.shm.control;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.FileStatus;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.support.SharedResult;
import org.jspecify.annotations.Nullable;

/** The state of the path to a peer: none, requested, open. Owned by the engine's thread. */
final class PeerPath {
    private SharedResult<PathMemory> opening = new SharedResult<>();
    private @Nullable ShmMemory asked;
    private @Nullable PathMemory open;
    private @Nullable Given given;

    /** What both ends have given for a path that the peer requested. */
    private record Given(ShmMemory mine, FileStatus theirs) {}

    boolean isOpen() {
        return open != null;
    }

    @Nullable
    PathMemory open() {
        return open;
    }

    /** The ring of this context while it waits for the peer's. */
    @Nullable
    ShmMemory asked() {
        return asked;
    }

    void ask(ShmMemory ring) {
        asked = ring;
    }

    /** Whether this is the ring of a pending request. */
    boolean isAsked(ShmMemory ring) {
        return asked == ring;
    }

    /** The ring of a pending request is its caller's. */
    void takeAsked() {
        asked = null;
    }

    /** Cancels a pending request: the peer's own attempt takes precedence, or the request failed. */
    void dropAsked() {
        if (asked != null) {
            asked.close();
            asked = null;
        }
    }

    /** The path, once it is open at both ends, or the failure of the attempt. */
    SharedResult<PathMemory> opening() {
        return opening;
    }

    boolean isAwaited() {
        return opening.waiting() > 0;
    }

    /** It is open at this end. */
    void opens(PathMemory path) {
        open = path;
    }

    /** The peer will never hear of it. */
    void undo() {
        open = null;
    }

    /** The peer has requested it with its ring, and was given this one. */
    void gives(ShmMemory mine, FileStatus theirs) {
        given = new Given(mine, theirs);
    }

    /** What the peer was given for that ring; null if it has not requested the path, or with another ring. */
    @Nullable
    ShmMemory given(FileStatus theirs) {
        Given known = given;
        return known != null && known.theirs.isSameFile(theirs) ? known.mine : null;
    }

    /** It is open at both ends. */
    void opened() {
        opening.complete(requireNonNull(open));
    }

    void failed(Throwable why) {
        SharedResult<PathMemory> failed = opening;
        opening = new SharedResult<>();
        failed.fail(why);
    }
}
