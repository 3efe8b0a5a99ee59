package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Packet;

/**
 * Moves the payload of send work queue elements: inline, or gathered from and scattered to its local ranges. Of an element with
 * ranges on a device, what is sent is fetched before, and what arrives is copied afterwards.
 */
final class Payloads {
    private final KeyTable keys;
    private final CopyPort copies;
    private final RangeParts parts = new RangeParts();
    private NativeMemory ring;

    /** @param ring has the elements */
    Payloads(KeyTable keys, CopyPort copies, NativeMemory ring) {
        this.keys = keys;
        this.copies = copies;
        this.ring = ring;
    }

    /** From now on the elements lie in another ring. */
    void ring(NativeMemory other) {
        ring = other;
    }

    CopyPort copies() {
        return copies;
    }

    // ---- of elements without ranges on a device

    /** Into a packet, as its payload. */
    boolean gather(long at, long from, Packet to, int lengthBytes) {
        int word = SendWqe.word(ring, at);
        if ((SendWqe.flags(word) & SendWqe.INLINE) != 0) {
            NativeMemory.copy(ring, SendWqe.inlineAt(at) + from, to.bytes(), to.payloadAt(), lengthBytes);
            return true;
        }
        long next = to.payloadAt();
        parts.begin(ring, SendWqe.rangesAt(at), SendWqe.ranges(word), from, lengthBytes);
        while (parts.next()) {
            if (parts.lengthBytes == lengthBytes) {
                return keys.loadLocal(parts.key(), parts.offset(), to, lengthBytes);
            }
            if (!parts.load(keys, to.bytes(), next)) {
                return false;
            }
            next += parts.lengthBytes;
        }
        return parts.isWhole();
    }

    boolean scatter(long at, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        parts.beginSend(ring, at, toOffset, lengthBytes);
        return parts.storeAll(keys, from, fromOffset);
    }

    // ---- of elements with some

    /** The region of the part; none if its range lies in memory of the host, or is not valid. */
    private int region() {
        return keys.localRegion(parts.key(), parts.rangeOffset(), parts.rangeBytes());
    }

    private long regionOffset() {
        return keys.localOffset(parts.key()) + parts.rangeOffset();
    }

    /**
     * Whether a part of the payload is being fetched, which is not here yet.
     *
     * @param of whose payload it is, with {@code position}
     */
    boolean awaits(SourceWindow sources, CopyWaiter of, long position, long at, long from, int lengthBytes) {
        boolean isFirst = true;
        parts.beginSend(ring, at, from, lengthBytes);
        while (parts.next()) {
            int region = region();
            if (isFirst) {
                sources.beginPacket(of, position, parts);
                isFirst = false;
            }
            if (region != DeviceKeys.NO_REGION) {
                sources.fetch(of, position, parts, region, regionOffset());
            }
        }
        return !isFirst && sources.awaits(of);
    }

    /** Puts a part that is not awaited into a packet; false if its memory is gone, or its device failed. */
    boolean gather(SourceWindow sources, CopyWaiter of, long position, long at, long from, Packet to, int lengthBytes) {
        long toOffset = to.payloadAt();
        parts.beginSend(ring, at, from, lengthBytes);
        while (parts.next()) {
            boolean isLoaded = region() == DeviceKeys.NO_REGION
                    ? parts.load(keys, to.bytes(), toOffset)
                    : sources.load(of, position, parts, to.bytes(), toOffset);
            if (!isLoaded) {
                return false;
            }
            toOffset += parts.lengthBytes;
        }
        return parts.isWhole();
    }

    /** Whether bytes that arrive now can be copied to their places; if not, the waiter hears of the time. */
    boolean takes(CopyWaiter waiter, long at, long toOffset, int lengthBytes) {
        boolean isPossible = true;
        parts.beginSend(ring, at, toOffset, lengthBytes);
        while (isPossible && parts.next()) {
            int region = region();
            isPossible = region == DeviceKeys.NO_REGION || copies.mayBegin(region, parts.lengthBytes, waiter);
        }
        return isPossible;
    }

    /** Whether many bytes may be asked for: fragments are free for them. */
    boolean admits(CopyWaiter waiter, long at) {
        boolean isPossible = true;
        int ranges = SendWqe.ranges(SendWqe.word(ring, at));
        for (int i = 0; i < ranges && isPossible; i++) {
            int region = keys.localRegion(SendWqe.rangeKey(ring, at, i), 0, 0);
            isPossible = region == DeviceKeys.NO_REGION || copies.hasRoom(region, waiter);
        }
        return isPossible;
    }

    /** Begins to copy bytes that have arrived to their places; false if the memory is gone. */
    boolean scatter(
            PendingCopies pending,
            CopyWaiter waiter,
            long at,
            long toOffset,
            NativeMemory from,
            long fromOffset,
            int lengthBytes) {
        long next = fromOffset;
        parts.beginSend(ring, at, toOffset, lengthBytes);
        while (parts.next()) {
            if (!store(pending, waiter, from, next)) {
                return false;
            }
            next += parts.lengthBytes;
        }
        return parts.isWhole();
    }

    private boolean store(PendingCopies pending, CopyWaiter waiter, NativeMemory from, long fromOffset) {
        int region = region();
        if (region == DeviceKeys.NO_REGION) {
            return parts.store(keys, from, fromOffset);
        }
        long copy = copies.copyIn(region, regionOffset() + parts.within, from, fromOffset, parts.lengthBytes, waiter);
        if (copy > Memory.AT_ONCE) {
            pending.add(copy);
        }
        return copy > Memory.AT_ONCE;
    }
}
