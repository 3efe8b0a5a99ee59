package io.urma4j.shm;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.bounce.ServedMemory;
import io.urma4j.shm.control.ShmImport;
import io.urma4j.shm.control.ShmSegment;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.support.DirectCopies;
import io.urma4j.spi.support.HostPinning;
import io.urma4j.spi.support.StagedRegion;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Moves the ranges of one work request between local memory and device memory of a home that this process has opened: by its own
 * device, without a hop. Ranges start one behind the other, and the last is awaited. What that cannot do goes another way, from the
 * beginning: bytes that have moved are moved again.
 */
final class DirectMoves implements AutoCloseable {
    /** Less host memory is staged: to pin it costs more. */
    private static final long MIN_HOST_BYTES = 1 << 16;

    private @Nullable DirectCopies copies; // from the first range on

    private DirectMoves() {}

    /** Moves a range; false if the device does not: then the request goes another way. */
    static boolean tryRange(
            ShmSegment local, long offset, ShmImport remote, long remoteOffset, long lengthBytes, boolean isRead) {
        return isPossible(local, remote, lengthBytes)
                && isDone(moves -> moves.tryMove(local, offset, remote, remoteOffset, lengthBytes, isRead));
    }

    /** Moves all blocks; otherwise as {@link #tryRange}. */
    static boolean tryBlocks(BlockTransfer transfer) {
        ShmSegment local = (ShmSegment) transfer.local;
        for (int region = 0; region < transfer.regions(); region++) {
            ShmImport remote = (ShmImport) transfer.remote(region);
            if (!isPossible(local, remote, transfer.lengthBytes())
                    || remote.served().opened(!transfer.isRead()) == null) {
                return false; // before a block moves twice
            }
        }
        return isDone(moves -> BlockCopies.run(transfer, moves::tryMove));
    }

    private static boolean isPossible(ShmSegment local, ShmImport remote, long lengthBytes) {
        boolean isLong = local.device() != null || lengthBytes >= MIN_HOST_BYTES;
        return isLong && lengthBytes > 0 && remote.isServed();
    }

    private static boolean isDone(Predicate<DirectMoves> request) {
        try (DirectMoves moves = new DirectMoves()) {
            if (!request.test(moves)) {
                return false;
            }
            moves.await();
            return true;
        } catch (UrmaException e) {
            if (e.status() == UrmaStatus.ETIMEOUT) {
                throw e; // the device is stuck, and would be waited for again
            }
            return false; // the home may still serve the memory
        }
    }

    private boolean tryMove(
            ShmSegment local, long offset, ShmImport remote, long remoteOffset, long lengthBytes, boolean isRead) {
        ServedMemory served = remote.served();
        StagedRegion far = served.opened(!isRead);
        if (far == null) {
            return false;
        }
        long farOffset = served.base() + remoteOffset;
        StagedRegion near = local.device();
        return near == null
                ? tryHost(local.pinning(), offset, far, farOffset, lengthBytes, isRead)
                : near.engine().equals(far.engine()) && tryWithin(near, offset, far, farOffset, lengthBytes, isRead);
    }

    private boolean tryHost(
            @Nullable HostPinning near,
            long offset,
            StagedRegion far,
            long farOffset,
            long lengthBytes,
            boolean isRead) {
        DirectCopies on = near == null ? null : copiesOf(far);
        return near != null && on != null && on.copy(far, farOffset, near, offset, lengthBytes, !isRead);
    }

    private boolean tryWithin(
            StagedRegion near, long offset, StagedRegion far, long farOffset, long lengthBytes, boolean isRead) {
        DirectCopies on = copiesOf(far);
        if (on == null) {
            return false;
        }
        if (isRead) {
            on.copy(far, farOffset, near, offset, lengthBytes);
        } else {
            on.copy(near, offset, far, farOffset, lengthBytes);
        }
        return true;
    }

    /** The copies of this request; null if they belong to another device. */
    private @Nullable DirectCopies copiesOf(StagedRegion far) {
        DirectCopies begun = copies;
        if (begun == null) {
            begun = far.direct();
            copies = begun;
        }
        return begun.reaches(far) ? begun : null;
    }

    private void await() {
        DirectCopies begun = copies;
        if (begun != null) {
            begun.await();
        }
    }

    @Override
    public void close() {
        DirectCopies begun = copies;
        if (begun != null) {
            begun.close();
        }
    }
}
