package io.urma4j.udma.driver;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import java.util.Set;

/** The results of a send queue's work requests: translates them into records, and frees what they occupied. */
final class SendRecords implements RecordOwner {
    private final Queues queues;
    private final UdmaJfc jfc;
    private final int tag;
    private final int id;
    private final int flags;
    private final SendRing ring;
    private final SendEntries entries;
    private final SlotCount slots;

    /**
     * The results of a new queue.
     *
     * @param jfc of its markers
     * @param tag in its records' completion queue elements
     * @param id as applications see it
     * @param flags of each {@link CompletionRecord}
     */
    SendRecords(Queues queues, UdmaJfc jfc, int tag, int id, int flags, SendRing ring) {
        this.queues = queues;
        this.jfc = jfc;
        this.tag = tag;
        this.id = id;
        this.flags = flags;
        this.ring = ring;
        this.entries = ring.entries();
        this.slots = ring.slots();
    }

    @Override
    public void record(long[] words, int at, NativeMemory cqRing, long cqe, int word) {
        long position = Cqe.position(cqRing, cqe);
        int status = Cqe.status(word);
        boolean isMarker = status == WorkStatus.WR_FLUSH_ERR_DONE || status == WorkStatus.WR_SUSPEND_DONE;
        words[at] = CompletionRecord.header(status, Cqe.opcode(word), flags | flags(Cqe.flags(word)), id);
        words[at + CompletionRecord.USER_CONTEXT] = isMarker ? 0 : entries.userContext(position);
        words[at + CompletionRecord.LENGTH] = Cqe.lengthBytes(cqRing, cqe);
        words[at + CompletionRecord.IMMEDIATE] = 0;
        words[at + CompletionRecord.REMOTE] = 0;
        words[at + CompletionRecord.REMOTE_EID_HIGH] = 0;
        words[at + CompletionRecord.REMOTE_EID_LOW] = 0;
        if (!isMarker && SendWqe.hasBlocks(SendWqe.word(ring.memory(), ring.at(position)))) {
            ofTransfer(words, at, position, status);
        }
        ended(position, status);
        if (isMarker) {
            slots.markerTaken(position);
        } else {
            slots.recordTaken(position);
        }
    }

    /** The card knows of a transfer what follows its blocks; its record is of the blocks. */
    private void ofTransfer(long[] words, int at, long position, int status) {
        NativeMemory memory = ring.memory();
        long element = ring.at(position);
        int opcode = SendWqe.opcode(SendWqe.word(memory, element));
        boolean isRead = opcode == WorkOpcode.READ || opcode == WorkOpcode.SEND_IMM;
        words[at] = CompletionRecord.header(status, isRead ? WorkOpcode.READ : WorkOpcode.WRITE, flags, id);
        words[at + CompletionRecord.LENGTH] = SendWqe.expected(memory, element);
    }

    private static int flags(int flags) {
        return ((flags & Cqe.FLUSH_ERR_DONE) != 0 ? CompletionRecord.FLUSH_ERR_DONE : 0)
                | ((flags & Cqe.SUSPEND_DONE) != 0 ? CompletionRecord.SUSPEND_DONE : 0);
    }

    @Override
    public void ended(NativeMemory cqRing, long cqe, int word) {
        ended(Cqe.position(cqRing, cqe), Cqe.status(word));
    }

    private void ended(long position, int status) {
        if (status == WorkStatus.REM_ACCESS_ABORT_ERR) {
            entries.refused(position, SendWqe.isNotifyGone(SendWqe.word(ring.memory(), ring.at(position))));
        }
        entries.letGo(position + 1);
    }

    /** Releases requests that ended without a record. */
    void settle() {
        entries.letGo(ring.consumed());
    }

    /** Records of the queue go to another JFC than its own from now on, too: they may be polled out of order. */
    void scatter() {
        if (!slots.areCountedEach()) {
            jfc.betweenPolls(slots::countEach);
        }
    }

    // ---- taking out; by the holder of the card's lock

    /** The record of a work request that was removed from the queue. */
    void flushed(long[] words, int at, long position, int status) {
        long element = ring.at(position);
        int word = SendWqe.word(ring.memory(), element);
        words[at] = CompletionRecord.header(status, SendWqe.opcode(word), flags, id);
        words[at + CompletionRecord.USER_CONTEXT] = entries.userContext(position);
        words[at + CompletionRecord.LENGTH] =
                status == WorkStatus.SUCCESS ? Integer.toUnsignedLong(SendWqe.lengthBytes(ring.memory(), element)) : 0;
        if (SendWqe.hasBlocks(word)) {
            ofTransfer(words, at, position, status);
        }
        entries.letGo(position + 1);
    }

    /** All requests before {@code end} were removed or have their result: only slots with unpolled records are occupied. */
    void freeEnded(long end) {
        Set<Long> unpolled = queues.unpolled(tag);
        if (unpolled.isEmpty()) {
            freeTo(end);
        } else {
            entries.letGo(end);
            scatter();
            slots.freeAllBut(unpolled, end);
        }
    }

    /** The slots before {@code end} are free. */
    void freeTo(long end) {
        entries.letGo(end);
        slots.freeTo(end);
    }

    /**
     * Before a restart: false while a record is unpolled, in any JFC (S6.13); otherwise frees the slots of requests that
     * ended without a record.
     */
    boolean endLife() {
        if (isMarkerUnpolled() || !queues.unpolled(tag).isEmpty()) {
            return false;
        }
        freeTo(ring.consumed());
        return true;
    }

    /** Behind the youngest slot that is free together with all before it. */
    long freed() {
        return slots.freed();
    }

    /** Whether a marker was written and not polled. */
    boolean isMarkerUnpolled() {
        return jfc.holdsMarker(tag);
    }
}
