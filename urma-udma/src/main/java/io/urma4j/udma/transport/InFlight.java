package io.urma4j.udma.transport;

import static java.util.Objects.requireNonNull;

import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a requester, in the order of their PSNs: a ring that grows to what it once needed, and then never again.
 *
 * <pre>
 *    head              cursor            numbered             tail
 *     │ unacknowledged   │ to retransmit   │ not sent so far │
 * </pre>
 */
final class InFlight {
    private static final int FIRST_SLOTS = 16;

    private @Nullable WireMessage[] slots = new WireMessage[FIRST_SLOTS];
    private long head;
    private long cursor;
    private long numbered;
    private long tail;

    /** READs and atomics that were requested and have not ended, and what the READs among them bring. */
    private int openReads;

    private long openReadBytes;
    private long numberedBytes; // of all messages that ever had PSNs

    int size() {
        return (int) (tail - head);
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** The oldest; null if there is none. */
    @Nullable
    WireMessage head() {
        return head == tail ? null : at(head);
    }

    /** Whether the request of a message has failed, and an older message has not ended. */
    boolean isFailedBehindOthers(WireMessage message) {
        return message != head() && message.request().hasFailed();
    }

    /** Whether the oldest has its PSNs. */
    boolean isHeadNumbered() {
        return head < numbered;
    }

    /** The message of the next packet to send; null if all are sent. */
    @Nullable
    WireMessage cursor() {
        return cursor == tail ? null : at(cursor);
    }

    /** Whether the message at the cursor was never sent, and has no PSNs. */
    boolean isCursorNew() {
        return cursor == numbered;
    }

    /** Gives the one at the cursor its PSNs; no packet of a request that has failed is sent. */
    void number(long firstPsn) {
        WireMessage message = at(cursor);
        assert cursor == head || at(cursor - 1).endPsn() == firstPsn : "a gap before " + firstPsn;
        message.firstPsn = firstPsn;
        message.packets = message.request().hasFailed() ? 0 : message.packets;
        message.firstByte = numberedBytes;
        numberedBytes += message.packets == 0 ? 0 : message.lengthBytes;
        numbered++;
        assert invariants();
    }

    /** All packets of the message at the cursor are sent. */
    void advance() {
        cursor++;
        assert invariants();
    }

    /** A READ or an atomic was requested, or something in its place. */
    void requested(WireMessage message) {
        if (!message.isAsked) {
            message.isAsked = true;
            openReads++;
            openReadBytes += message.lengthBytes;
        }
        assert invariants();
    }

    /** Payload of the packets from the oldest one on, up to the next one: it is of the message at the cursor. */
    long bytesInFlight(long unacked, long next, int mtuBytes) {
        return at(cursor).bytesBefore(next, mtuBytes) - at(head).bytesBefore(unacked, mtuBytes);
    }

    int openReads() {
        return openReads;
    }

    long openReadBytes() {
        return openReadBytes;
    }

    /** Everything must be retransmitted. */
    void rewind() {
        cursor = head;
        openReads = 0;
        openReadBytes = 0;
        for (long index = head; index < numbered; index++) {
            at(index).isAsked = false;
        }
        assert invariants();
    }

    /** A place at the end; to be initialised at once. */
    WireMessage append() {
        if (size() == slots.length) {
            grow();
        }
        int slot = (int) tail++ & slots.length - 1;
        WireMessage message = slots[slot];
        if (message == null) {
            message = new WireMessage();
            slots[slot] = message;
        }
        return message;
    }

    /** The oldest has ended. */
    void removeHead() {
        WireMessage oldest = at(head);
        if (oldest.isAsked) {
            openReads--;
            openReadBytes -= oldest.lengthBytes;
        }
        head++;
        cursor = Math.max(cursor, head);
        numbered = Math.max(numbered, head);
        assert invariants();
    }

    /** The message of a PSN; null if no sent message has it. */
    @Nullable
    WireMessage find(long psn) {
        long low = head;
        long high = numbered - 1;
        while (low <= high) {
            long middle = (low + high) >>> 1;
            WireMessage message = at(middle);
            if (psn < message.firstPsn) {
                high = middle - 1;
            } else if (psn >= message.endPsn()) {
                low = middle + 1;
            } else {
                return message;
            }
        }
        return null;
    }

    /** Whether a work request must wait for a READ or an atomic of its queue. */
    boolean isFenced(SendWork work, long position) {
        if (isEmpty() || (SendWqe.flags(SendWqe.word(work.ring(), work.at(position))) & WorkOpcode.FENCE) == 0) {
            return false;
        }
        for (int i = 0; i < size(); i++) {
            Request request = get(i).request();
            if (request.isAnswered() && request.isOf(work)) {
                return true;
            }
        }
        return false;
    }

    /** The n-th from the oldest. */
    WireMessage get(int n) {
        return at(head + n);
    }

    /** How many have their PSNs. */
    int numbered() {
        return (int) (numbered - head);
    }

    private boolean invariants() {
        boolean isOrdered = head <= cursor && cursor <= numbered && numbered <= tail;
        boolean isBudgetRight = openReads == 0 ? openReadBytes == 0 : openReads > 0 && openReadBytes >= 0;
        return isOrdered && isBudgetRight && openReads <= numbered() && size() <= slots.length;
    }

    private WireMessage at(long index) {
        return requireNonNull(slots[(int) index & slots.length - 1]);
    }

    private void grow() {
        @Nullable WireMessage[] larger = Arrays.copyOf(slots, slots.length * 2);
        for (long index = head; index < tail; index++) {
            larger[(int) index & larger.length - 1] = slots[(int) index & slots.length - 1];
        }
        for (long index = tail; index < head + larger.length; index++) {
            larger[(int) index & larger.length - 1] = null; // else a message might be in two places
        }
        slots = larger;
    }
}
