package io.urma4j.udma.driver;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.udma.ring.Cqe;

/**
 * The receiver of messages, as its records name it: a JFR, or a Jetty that uses one.
 *
 * @param id as applications see it
 * @param recordFlags of {@link CompletionRecord}
 */
record Receives(UdmaReceiveQueue queue, int id, int recordFlags) implements RecordOwner, Tagged {
    @Override
    public void record(long[] words, int at, NativeMemory ring, long cqe, int word) {
        words[at] =
                CompletionRecord.header(Cqe.status(word), Cqe.opcode(word), recordFlags | flags(Cqe.flags(word)), id);
        words[at + CompletionRecord.USER_CONTEXT] = queue.recordTaken((int) Cqe.position(ring, cqe));
        words[at + CompletionRecord.LENGTH] = Cqe.lengthBytes(ring, cqe);
        words[at + CompletionRecord.IMMEDIATE] = Cqe.immediate(ring, cqe);
        words[at + CompletionRecord.REMOTE] = Cqe.remote(ring, cqe);
        words[at + CompletionRecord.REMOTE_EID_HIGH] = Cqe.remoteEidHigh(ring, cqe);
        words[at + CompletionRecord.REMOTE_EID_LOW] = Cqe.remoteEidLow(ring, cqe);
    }

    private static int flags(int flags) {
        return CompletionRecord.RECEIVE
                | ((flags & Cqe.HAS_IMMEDIATE) != 0 ? CompletionRecord.HAS_IMMEDIATE : 0)
                | ((flags & Cqe.HAS_INVALIDATED) != 0 ? CompletionRecord.HAS_INVALIDATED : 0)
                | ((flags & Cqe.SOLICITED) != 0 ? CompletionRecord.SOLICITED : 0);
    }

    @Override
    public void ended(NativeMemory ring, long cqe, int word) {
        queue.letGo((int) Cqe.position(ring, cqe));
    }
}
