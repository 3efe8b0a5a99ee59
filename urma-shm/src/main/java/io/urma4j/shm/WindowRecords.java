package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.SendOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The records of what goes through a send queue's window: in the queue's own JFC, or in the one that a work request names
 * (S8.5). Guarded by the queue's lock, which is that of its own JFC.
 *
 * <p>Another JFC has another lock, and its queues may name ours: so that no deadlock arises, the lock is only tried,
 * and tried again later if it is held.
 */
final class WindowRecords {
    /** Whether a record was made. */
    enum Told {
        YES,
        /** The other JFC is busy just now: try again. */
        LATER,
        /** The JFC has overflowed. */
        NO_ROOM
    }

    private static final int SUCCESS = CompletionStatus.SUCCESS.value();
    private static final int WR_SUSPEND_DONE = CompletionStatus.WR_SUSPEND_DONE.value();

    private final int queueId;
    private final int recordFlags;
    private final JfcRecords jfc;
    private final Demand demand;
    private final Runnable fail;
    private final int ownerIndex;
    private final Map<JfcRecords, Elsewhere> elsewhere = new ConcurrentHashMap<>();
    private final AtomicLong freedElsewhere = new AtomicLong();

    /**
     * The records of the queue with that id.
     *
     * @param fail takes the queue to ERROR, under its lock
     */
    WindowRecords(
            int queueId,
            JfcRecords jfc,
            SendSlots slots,
            SendOrder<Wqe, PeerLanes> order,
            Demand demand,
            boolean isJetty,
            Runnable fail) {
        this.queueId = queueId;
        this.jfc = jfc;
        this.demand = demand;
        this.recordFlags = isJetty ? CompletionRecord.JETTY : 0;
        this.fail = fail;
        this.ownerIndex = jfc.attach(new Own(slots, order));
    }

    /** The queue's records in its own JFC. */
    private record Own(SendSlots slots, SendOrder<Wqe, PeerLanes> order) implements RecordOwner {
        @Override
        public void recordTaken(int position) {
            slots.free(position);
        }

        @Override
        public void jfcFailed() {
            if (order.life().state()
                    != QueueState.RESET) { // where nothing works, and which READY does not follow any more
                order.failures().fail();
            }
        }
    }

    /** Whose records they are in the queue's own JFC. */
    int ownerIndex() {
        return ownerIndex;
    }

    /** The first word of a record. */
    long header(int status, Opcode opcode) {
        return CompletionRecord.header(status, opcode.value(), recordFlags, queueId);
    }

    /** The queue's records in another JFC. */
    private final class Elsewhere implements RecordOwner {
        private final int index;
        private volatile long made; // behind the youngest; written under the lock of that JFC, as the next
        private volatile long taken; // behind the youngest that was polled

        Elsewhere(JfcRecords other, long posted) {
            this.made = posted;
            this.taken = posted;
            this.index = other.attach(this);
        }

        /** Under the lock of that JFC. A thread that polls the record finds that it was made. */
        boolean push(JfcRecords other, long position, Wqe entry) {
            long before = made;
            made = position + 1;
            boolean isMade = other.isValid() && pushInto(other, index, position, entry);
            if (!isMade) {
                made = before;
            }
            return isMade;
        }

        @Override
        public void recordTaken(int position) {
            long full = SendSlots.widened(position, made - 1);
            if (full >= taken) {
                taken = full + 1;
                freedElsewhere.accumulateAndGet(full + 1, Math::max);
            }
        }

        @Override
        public void jfcFailed() {
            demand.later(fail); // not now: the caller has the lock of that JFC
        }
    }

    /** Whether any record went to another JFC, ever: then a polled record says nothing of those before it here. */
    boolean areElsewhere() {
        return !elsewhere.isEmpty();
    }

    /** Behind the youngest record that was polled from another JFC. */
    long freedElsewhere() {
        return freedElsewhere.get();
    }

    /** Prepares for records in another JFC, whose lock it takes for a moment: the caller has none. */
    void use(JfcRecords other, long posted) {
        elsewhere.computeIfAbsent(other, any -> new Elsewhere(other, posted));
    }

    /** Makes the record of a work request that has its status. */
    Told push(long position, Wqe entry) {
        JfcRecords other = entry.recordJfc;
        if (other != null) {
            Told told = pushElsewhere(other, position, entry);
            if (told != Told.NO_ROOM) {
                return told;
            } // else the record is made here, and not lost
        }
        return jfc.isValid() && pushInto(jfc, ownerIndex, position, entry) ? Told.YES : Told.NO_ROOM;
    }

    private Told pushElsewhere(JfcRecords other, long position, Wqe entry) {
        Elsewhere owner = elsewhere.get(other);
        assert owner != null : "the post has seen to it";
        if (!other.lock().tryAcquire()) {
            return Told.LATER;
        }
        try {
            return owner.push(other, position, entry) ? Told.YES : Told.NO_ROOM;
        } finally {
            other.lock().release();
        }
    }

    /** Makes the record of an operation that was executed in its post; false when there is no room. */
    boolean pushSuccess(long position, Opcode opcode, long lengthBytes, long userContext) {
        long header = header(SUCCESS, opcode);
        return jfc.push(header, userContext, lengthBytes, JfcRecords.provenance(ownerIndex, position));
    }

    private boolean pushInto(JfcRecords where, int index, long position, Wqe entry) {
        return where.push(
                header(entry.status, entry.opcode),
                entry.userContext,
                entry.lengthBytes,
                JfcRecords.provenance(index, position));
    }

    /**
     * The record that says that a queue has drained, behind the record of {@code position}; false when there is no room for
     * it now. The JFC does not overflow by it: its poller makes room.
     */
    boolean pushMarker(int status, long position) {
        int flag = status == WR_SUSPEND_DONE ? CompletionRecord.SUSPEND_DONE : CompletionRecord.FLUSH_ERR_DONE;
        long header = header(status, Opcode.NOP) | flag;
        return jfc.isValid() && jfc.hasRoom() && jfc.push(header, 0, 0, JfcRecords.provenance(ownerIndex, position));
    }

    /** Whether a marker was made and not polled. */
    boolean isMarkerUnpolled() {
        return jfc.holdsMarker(ownerIndex);
    }

    /** Whether any record was made and not polled, here or elsewhere. */
    boolean areUnpolled() {
        return jfc.holdsRecord(ownerIndex) || elsewhere.values().stream().anyMatch(there -> there.made > there.taken);
    }

    /** The queue is closed: its records disappear, those elsewhere too (S10.7). The caller has no lock. */
    void close() {
        jfc.detach(ownerIndex);
        elsewhere.forEach((other, owner) -> other.detach(owner.index));
    }
}
