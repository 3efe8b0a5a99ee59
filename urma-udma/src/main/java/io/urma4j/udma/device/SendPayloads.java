package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Moves the payload of the work requests of one send queue. Of local ranges that lie on a device, what is sent is fetched before,
 * and what arrives is copied afterwards: the result waits for these copies.
 */
final class SendPayloads {
    private final CopyPort copies;
    private final Payloads payloads;
    private @Nullable SourceWindow ofDatagrams; // what goes by a connection has that one's
    private int held; // results that wait for copies

    SendPayloads(KeyTable keys, CopyPort copies, NativeMemory ring) {
        this.copies = copies;
        this.payloads = new Payloads(keys, copies, ring);
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

    // ---- bytes

    /** Whether a part of the payload is being fetched, which is not here yet. */
    boolean awaits(SendSlot slot, long position, long from, int lengthBytes) {
        return slot.isOnDevice && payloads.awaits(sources(slot), slot, position, slot.at, from, lengthBytes);
    }

    /** Puts a part that is not awaited into a packet; false if its memory is gone, or its device failed. */
    boolean gather(SendSlot slot, long position, long from, Packet to, int lengthBytes) {
        return slot.isOnDevice
                ? payloads.gather(sources(slot), slot, position, slot.at, from, to, lengthBytes)
                : payloads.gather(slot.at, from, to, lengthBytes);
    }

    /** Whether bytes that arrive now can be copied to their places. */
    boolean takes(SendSlot slot, long toOffset, int lengthBytes) {
        return !slot.isOnDevice || payloads.takes(slot, slot.at, toOffset, lengthBytes);
    }

    /** Whether many bytes may be asked for: fragments are free for them. */
    boolean admits(SendSlot slot) {
        return !slot.isOnDevice || payloads.admits(slot, slot.at);
    }

    /** Stores bytes that have arrived, or begins to copy them; false if the memory is gone. */
    boolean scatter(SendSlot slot, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
        return slot.isOnDevice
                ? payloads.scatter(slot.pending(copies), slot, slot.at, toOffset, from, fromOffset, lengthBytes)
                : payloads.scatter(slot.at, toOffset, from, fromOffset, lengthBytes);
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

    /** Ends the work requests whose results waited for copies, if these have ended. */
    void endHeld(OrderWindow<SendSlot, PeerFlow> window, SendQueue queue) {
        for (long position = window.head(); held > 0 && position < window.end(); position++) {
            SendSlot slot = window.at(position);
            if (slot.heldStatus != SendSlot.NOT_HELD && slot.pending(copies).haveEnded()) {
                queue.end(slot, status(slot, slot.heldStatus));
            }
        }
    }

    /** The status of a work request, of which no copy is in progress. */
    int status(SendSlot slot, int status) {
        boolean hasFailed = slot.isOnDevice && slot.pending(copies).hasFailed();
        return hasFailed && status == WorkStatus.SUCCESS ? WorkStatus.LOC_ACCESS_ERR : status;
    }

    /** The work request has its status: if that was not the result that waits here, it was given up. */
    void left(SendSlot slot) {
        if (slot.heldStatus != SendSlot.NOT_HELD) {
            slot.heldStatus = SendSlot.NOT_HELD;
            held--;
        }
    }

    /** The work request has its record: the fragments of what it sent are free. */
    void releaseSources(SendSlot slot) {
        sources(slot).forget(slot);
    }
}
