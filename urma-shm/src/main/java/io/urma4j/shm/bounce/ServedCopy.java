package io.urma4j.shm.bounce;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.PeerRegion;
import io.urma4j.spi.support.Placement;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A request of an importer for which an engine copies. An atomic is a copy to the fragment, the calculation there, and a copy back;
 * meanwhile neither another atomic nor a WRITE changes the region.
 */
final class ServedCopy {
    private final BounceRequest request;
    private final ServedGrant grant;
    private final StagedRegion region;
    private final CopyStream stream;
    private final MemorySegment fragment;
    private final boolean isExclusive;
    private final Copy copy = new Copy();
    private boolean isOwner;
    private boolean isWritingBack; // the second copy of an atomic
    private long value; // before an atomic
    private @Nullable RuntimeException refusal; // of a copy that was never started

    private ServedCopy(
            BounceRequest request, ServedGrant grant, CopyStream stream, MemorySegment fragment, boolean isExclusive) {
        this.request = request;
        this.grant = grant;
        this.region = grant.served();
        this.stream = stream;
        this.fragment = fragment;
        this.isExclusive = isExclusive;
    }

    /** Starts it, unless it must wait for another one's atomic. */
    static ServedCopy start(BounceRequest request, ServedGrant grant, CopyStream stream, MemorySegment fragment) {
        boolean isExclusive = grant.hasAtomics() && request.opcode != BounceRequest.READ;
        ServedCopy made = new ServedCopy(request, grant, stream, fragment, isExclusive);
        made.tryStart();
        return made;
    }

    private void tryStart() {
        if (isExclusive && !isOwner) {
            isOwner = region.tryOwn(this);
            if (!isOwner) {
                return;
            }
        }
        PeerRegion memory = region.region();
        try {
            if (request.opcode == BounceRequest.WRITE) {
                memory.copyIn(stream, request.offset, fragment, copy);
            } else {
                memory.copyOut(stream, request.offset, fragment, copy);
            }
        } catch (RuntimeException e) {
            refusal = e;
        }
    }

    BounceRequest request() {
        return request;
    }

    /** Whether it has ended. Begins its next step, if there is one. */
    boolean isDone() {
        if (isWaiting()) {
            tryStart();
        }
        if (isWaiting() || !copy.isDone()) {
            return false;
        }
        if (request.isAtomic() && !isWritingBack && refusal == null && copy.failure() == null) {
            writeBack();
            if (refusal == null) {
                return false;
            }
        }
        disown();
        return true;
    }

    /** Whether another one owns the region, which this must own before its first copy. */
    private boolean isWaiting() {
        return isExclusive && !isOwner && refusal == null;
    }

    /** The importer can change the fragment meanwhile: it may write the region anyway. */
    private void writeBack() {
        isWritingBack = true;
        value = Placement.atomic(request.opcode, fragment, 0, request.lengthBytes, request.operand, request.expected);
        try {
            region.region().copyIn(stream, request.offset, fragment, copy);
        } catch (RuntimeException e) {
            refusal = e;
        }
    }

    private void disown() {
        if (isOwner) {
            isOwner = false;
            region.disown(this);
        }
    }

    /** Once, after it {@linkplain #isDone is done}. */
    void end() {
        grant.requests().end();
    }

    /** How it has ended. */
    int result() {
        if (refusal != null) {
            return BounceLayout.REVOKED; // the region admits no copy any more
        }
        if (copy.failure() == null) {
            return BounceLayout.DONE;
        }
        return region.region().isUsable() ? BounceLayout.FAILED : BounceLayout.REVOKED;
    }

    /** The value before an atomic. */
    long value() {
        return value;
    }
}
