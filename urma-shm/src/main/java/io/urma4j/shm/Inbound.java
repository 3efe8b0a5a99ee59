package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.support.SendLife;
import org.jspecify.annotations.Nullable;

/**
 * Where messages for a number go: a JFR, or a Jetty and its JFR.
 *
 * @param id as records name it
 * @param jetty the state of the Jetty; null for a JFR
 * @param binding whose messages an RC Jetty takes; null for all others
 * @param jfc where the records go
 * @param ownerIndex whose they are there
 */
record Inbound(
        int id,
        ShmReceiveQueue receives,
        @Nullable SendLife jetty,
        @Nullable RcBinding binding,
        JfcRecords jfc,
        int ownerIndex) {
    /** A JFR. */
    static Inbound of(ShmReceiveQueue receives) {
        return new Inbound(receives.id(), receives, null, null, receives.jfc(), receives.ownerIndex());
    }

    /** Whether the records of a Jetty are its own, and not those of its JFR. */
    boolean hasOwnRecords() {
        return jfc != receives.jfc() || ownerIndex != receives.ownerIndex();
    }

    /** Whether a message of that queue may be taken now; else the answer it gets (S5.8, S6.5). */
    int admission(Peer peer, int sourceId) {
        if (receives.state() == ReceiveState.ERROR || isInError()) {
            return Answer.FAILED;
        }
        if (jetty != null && (jetty.state() == QueueState.RESET || !admits(peer, sourceId))) {
            return Answer.NOT_READY;
        }
        return Answer.TAKEN;
    }

    /** Whether it is a Jetty that has failed. */
    boolean isInError() {
        return jetty != null && jetty.state() == QueueState.ERROR;
    }

    /** Changes whenever an RC Jetty is bound or unbound. */
    int connection() {
        return binding == null ? 0 : binding.connection();
    }

    private boolean admits(Peer peer, int sourceId) {
        return binding == null || binding.admits(peer, sourceId);
    }

    boolean takesDatagrams() {
        return receives.takesDatagrams();
    }

    /** The first word of the record for the message in the current slot. */
    long header(RingReceiver in, CompletionStatus status) {
        int flags = CompletionRecord.RECEIVE
                | (jetty == null ? 0 : CompletionRecord.JETTY)
                | (in.opcode() == SEND_IMM || in.opcode() == WRITE_IMM ? CompletionRecord.HAS_IMMEDIATE : 0)
                | (in.opcode() == SEND_INVALIDATE ? CompletionRecord.HAS_INVALIDATED : 0)
                | (in.has(SlotFlags.SOLICITED) ? CompletionRecord.SOLICITED : 0);
        return CompletionRecord.header(status.value(), in.opcode(), flags, id);
    }

    /** Makes that record; false if its JFC has no room. */
    boolean record(RingReceiver in, ReceiveWr wr, CompletionStatus status, long lengthBytes, RemoteName sender) {
        return jfc.pushReceive(
                header(in, status),
                wr.userContext,
                lengthBytes,
                in.immediate(),
                sender.queue(in.source()),
                sender,
                JfcRecords.provenance(ownerIndex, 0));
    }

    // Opcode.value() as constants
    private static final int SEND_IMM = Opcode.SEND_IMM.value();
    private static final int SEND_INVALIDATE = Opcode.SEND_INVALIDATE.value();
    private static final int WRITE_IMM = Opcode.WRITE_IMM.value();
}
