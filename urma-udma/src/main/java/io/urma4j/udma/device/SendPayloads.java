package io.urma4j.udma.device;

import io.urma4j.spi.support.OrderWindow;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Moves the payload of the work requests of one send queue. Of local ranges that lie on a device, what is sent is fetched before,
 * and what arrives is copied afterwards: the result waits for these copies.
 */
final class SendPayloads {
    private final KeyTable keys;
    private final CopyPort copies;
    private final MemorySegment ring;
    private final RangeParts parts = new RangeParts();
    private @Nullable SourceWindow ofDatagrams; // what goes by a connection has that one's
    private int held; // results that wait for copies

    SendPayloads(KeyTable keys, CopyPort copies, MemorySegment ring) {
        this.keys = keys;
        this.copies = copies;
        this.ring = ring;
    }

    private SourceWindow sources(SendSlot slot) {
        PeerFlow peer = slot.peer;
        if (peer != null) {
            return peer.link.sources(copies);
        }
        if (ofDatagrams == null) {
            ofDatagrams = new SourceWindow(copies);
        }
        return ofDatagrams;
    }

    // ---- what is sent

    /** Whether a part of the payload is being fetched, which is not here yet. */
    boolean awaits(SendSlot slot, long position, long from, int lengthBytes) {
        if (!slot.isOnDevice) {
            return false;
        }
        SourceWindow sources = sources(slot);
        boolean isFirst = true;
        parts.begin(ring, slot.at, from, lengthBytes);
        while (parts.next()) {
            int region = region();
            if (isFirst) {
                sources.beginPacket(slot, position, parts);
                isFirst = false;
            }
            if (region != DeviceKeys.NO_REGION) {
                sources.fetch(slot, position, parts, region, regionOffset());
            }
        }
        return sources.awaits(slot);
    }

    /** The region of the part; none if its range lies in memory of the host, or is not valid. */
    private int region() {
        return keys.localRegion(parts.key(), parts.rangeOffset(), parts.rangeBytes());
    }

    private long regionOffset() {
        return keys.localOffset(parts.key()) + parts.rangeOffset();
    }

    /** Puts a part that is not awaited into a packet; false if its memory is gone, or its device failed. */
    boolean gather(SendSlot slot, long position, long from, Packet to, int lengthBytes) {
        if (!slot.isOnDevice) {
            return Payloads.gather(keys, ring, slot.at, from, to, lengthBytes);
        }
        long toOffset = to.payloadAt();
        parts.begin(ring, slot.at, from, lengthBytes);
        while (parts.next()) {
            boolean isLoaded = region() == DeviceKeys.NO_REGION
                    ? LocalRange.load(
                            keys,
                            parts.key(),
                            parts.rangeOffset() + parts.within,
                            to.bytes(),
                            toOffset,
                            parts.lengthBytes)
                    : sources(slot).load(slot, position, parts, to.bytes(), toOffset);
            if (!isLoaded) {
                return false;
            }
            toOffset += parts.lengthBytes;
        }
        return parts.isWhole();
    }

    // ---- what arrives

    /** Whether bytes that arrive now can be copied to their places. */
    boolean takes(SendSlot slot, long toOffset, int lengthBytes) {
        if (!slot.isOnDevice) {
            return true;
        }
        boolean isPossible = true;
        parts.begin(ring, slot.at, toOffset, lengthBytes);
        while (isPossible && parts.next()) {
            int region = region();
            isPossible = region == DeviceKeys.NO_REGION || copies.mayCopyIn(region, slot);
        }
        return isPossible;
    }

    /** Whether many bytes may be asked for: fragments are free for them. */
    boolean admits(SendSlot slot) {
        boolean isPossible = true;
        for (int i = 0; slot.isOnDevice && i < SendWqe.ranges(ring, slot.at) && isPossible; i++) {
            int region = keys.localRegion(SendWqe.rangeKey(ring, slot.at, i), 0, 0);
            isPossible = region == DeviceKeys.NO_REGION || copies.hasRoom(region, slot);
        }
        return isPossible;
    }

    /** Stores bytes that have arrived, or begins to copy them; false if the memory is gone. */
    boolean scatter(SendSlot slot, long toOffset, MemorySegment from, long fromOffset, int lengthBytes) {
        if (!slot.isOnDevice) {
            return Payloads.scatter(keys, ring, slot.at, toOffset, from, fromOffset, lengthBytes);
        }
        long at = fromOffset;
        parts.begin(ring, slot.at, toOffset, lengthBytes);
        while (parts.next()) {
            if (!store(slot, from, at)) {
                return false;
            }
            at += parts.lengthBytes;
        }
        return parts.isWhole();
    }

    private boolean store(SendSlot slot, MemorySegment from, long fromOffset) {
        int region = region();
        if (region == DeviceKeys.NO_REGION) {
            long offset = parts.rangeOffset() + parts.within;
            return LocalRange.store(keys, parts.key(), offset, from, fromOffset, parts.lengthBytes);
        }
        long copy = copies.copyIn(region, regionOffset() + parts.within, from, fromOffset, parts.lengthBytes, slot);
        if (copy > Memory.AT_ONCE) {
            slot.pending(copies).add(copy);
        }
        return copy > Memory.AT_ONCE;
    }

    // ---- results

    /** Whether the result of a work request waits for copies: {@link #endHeld} ends it later. */
    boolean holds(SendSlot slot, int status) {
        if (!slot.isOnDevice || slot.pending(copies).haveEnded()) {
            return false;
        }
        slot.heldStatus = status;
        held++;
        return true;
    }

    /** Ends a work request with its final status. */
    @FunctionalInterface
    interface End {
        void end(SendSlot slot, int status);
    }

    /** Ends the work requests whose results waited for copies, if these have ended. */
    void endHeld(OrderWindow<SendSlot, PeerFlow> window, End end) {
        for (long position = window.head(); held > 0 && position < window.end(); position++) {
            SendSlot slot = window.at(position);
            if (slot.heldStatus != SendSlot.NOT_HELD && slot.pending(copies).haveEnded()) {
                int status = slot.heldStatus;
                slot.heldStatus = SendSlot.NOT_HELD;
                held--;
                end.end(slot, status(slot, status));
            }
        }
    }

    /** The status of a work request, of which no copy is in progress. */
    int status(SendSlot slot, int status) {
        boolean hasFailed = slot.isOnDevice && slot.pending(copies).hasFailed();
        return hasFailed && status == WorkStatus.SUCCESS ? WorkStatus.LOC_ACCESS_ERR : status;
    }

    /** The work request has ended: its fragments are free. */
    void release(SendSlot slot) {
        if (slot.heldStatus != SendSlot.NOT_HELD) {
            slot.heldStatus = SendSlot.NOT_HELD;
            held--;
        }
        slot.pending(copies).clear();
        sources(slot).forget(slot);
    }
}
