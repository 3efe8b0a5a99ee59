package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfr;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.TargetJetty;
import java.lang.foreign.MemorySegment;

/**
 * SENDs of one size, a window of them in flight; each eighth of a window makes one record. The other end returns each
 * buffer when it has checked the message.
 */
final class SendStream implements MessageStream {
    private static final PostFlags SILENT = PostFlags.DEFAULT.unsignalled();

    private final Jfs jfs;
    private final Jfc jfc;
    private final Jfr jfr;
    private final TargetJetty target;
    private final LocalSegment local;
    private final MemorySegment memory;
    private final CompletionBatch batch = new CompletionBatch(64);
    private final int bytes;
    private final int window;
    private final int buffers;
    private final long firstBuffer;
    private long sent;
    private long told; // this message has its record, and so have all before it
    private long taken;

    /**
     * An end.
     *
     * @param jfr empty, for messages of this size alone
     * @param local room for a window of messages to send, and for {@code buffers} to receive
     */
    SendStream(Jfs jfs, Jfc jfc, Jfr jfr, TargetJetty target, LocalSegment local, int bytes, int window, int buffers) {
        this.jfs = jfs;
        this.jfc = jfc;
        this.jfr = jfr;
        this.target = target;
        this.local = local;
        this.memory = local.memory();
        this.bytes = bytes;
        this.window = window;
        this.buffers = buffers;
        this.firstBuffer = (long) window * bytes;
        for (int i = 0; i < buffers; i++) {
            receive(firstBuffer + (long) i * bytes);
        }
    }

    @Override
    public void send(int messages) {
        long end = sent + messages;
        while (sent < end) {
            if (sent - told >= window) {
                pollRecords();
                continue;
            }
            long number = sent + 1;
            long from = number % window * bytes;
            memory.set(JAVA_LONG, from, number);
            boolean signalled = number % (window / 8) == 0 || number == end;
            if (post(from, bytes, number, signalled)) {
                sent = number;
            } else {
                pollRecords();
            }
        }
        while (told < sent) {
            pollRecords();
        }
    }

    private boolean post(long from, int lengthBytes, long number, boolean signalled) {
        return jfs.send(
                Opcode.SEND, target, local, from, lengthBytes, 0, number, signalled ? PostFlags.DEFAULT : SILENT);
    }

    private void pollRecords() {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw new IllegalStateException(batch.toString());
            }
            told = Math.max(told, batch.userContext(i));
        }
    }

    @Override
    public void stop() {
        while (!post(0, 0, sent, true)) {
            pollRecords();
        }
        while (jfc.poll(batch) == 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void takeAll() {
        for (boolean goesOn = true; goesOn; ) {
            int count = jfc.poll(batch);
            for (int i = 0; i < count; i++) {
                goesOn = take(i);
            }
        }
    }

    /** Looks at a message, and gives its buffer back; false when it was the one that says stop. */
    private boolean take(int record) {
        if (!batch.isSuccess(record)) {
            throw new IllegalStateException(batch.toString());
        }
        long buffer = batch.userContext(record);
        boolean isMessage = batch.lengthBytes(record) != 0;
        if (isMessage && memory.get(JAVA_LONG, buffer) != ++taken) {
            throw new IllegalStateException("message " + taken + " says " + memory.get(JAVA_LONG, buffer));
        }
        receive(buffer);
        return isMessage;
    }

    private void receive(long buffer) {
        if (!jfr.receive(local, buffer, bytes, buffer)) {
            throw new IllegalStateException("the receive queue is full with fewer than " + buffers + " buffers");
        }
    }
}
