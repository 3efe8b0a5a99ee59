package io.urma4j.shm;

import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.spi.CompletionRecord;
import org.jspecify.annotations.Nullable;

/**
 * Where messages for a number go: a JFR, or a Jetty and its JFR.
 *
 * @param id as records name it
 * @param jfc where the records go
 * @param ownerIndex whose they are there
 */
record Inbound(int id, ShmReceiveQueue receives, @Nullable ShmSendQueue jetty, ShmJfc jfc, int ownerIndex) {
    /** A JFR. */
    static Inbound of(ShmReceiveQueue receives) {
        return new Inbound(receives.id(), receives, null, receives.jfc(), receives.ownerIndex());
    }

    /** A Jetty whose records go where its JFR's go. */
    static Inbound of(ShmSendQueue jetty, ShmReceiveQueue receives) {
        return new Inbound(jetty.id(), receives, jetty, receives.jfc(), receives.ownerIndex());
    }

    /** Whether a message of that queue may be taken now; else the answer it gets (S5.8, S6.5). */
    int admission(Peer peer, int sourceId) {
        if (receives.state() == ReceiveState.ERROR || (jetty != null && jetty.state() == QueueState.ERROR)) {
            return Answer.FAILED;
        }
        if (jetty != null && (jetty.state() == QueueState.RESET || !jetty.admits(peer, sourceId))) {
            return Answer.NOT_READY;
        }
        return Answer.TAKEN;
    }

    boolean takesDatagrams() {
        return receives.takesDatagrams();
    }

    int recordFlags() {
        return CompletionRecord.RECEIVE | (jetty == null ? 0 : CompletionRecord.JETTY);
    }
}
