package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfr;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.TargetJetty;
import java.lang.foreign.MemorySegment;

/** Each sends 64 bytes, and polls until it has those of the other. */
final class SendRally implements Rally {
    static final int MESSAGE_BYTES = 64;

    private static final int BUFFERS = 64;
    private static final long SOURCE = 2048;
    private static final long FIRST_BUFFER = 4096;

    private final Jfs jfs;
    private final Jfc jfc;
    private final Jfr jfr;
    private final CompletionBatch batch;
    private final LocalSegment local;
    private final TargetJetty target;
    private final MemorySegment memory;
    private long turn;

    SendRally(RallyEnd end, Jfr jfr, TargetJetty target) {
        this.jfs = end.jfs;
        this.jfc = end.jfc;
        this.jfr = jfr;
        this.batch = end.batch;
        this.local = end.local;
        this.target = target;
        this.memory = end.local.memory();
        for (int i = 0; i < BUFFERS; i++) {
            receive(FIRST_BUFFER + (long) i * MESSAGE_BYTES);
        }
    }

    @Override
    public void serve(int turns) {
        for (int i = 0; i < turns; i++) {
            tell(++turn);
            long told = hear();
            if (told != turn) {
                throw new IllegalStateException("turn " + turn + " came back as " + told);
            }
        }
    }

    @Override
    public void stop() {
        tell(STOP);
    }

    @Override
    public void returnAll() {
        for (long now = hear(); now != STOP; now = hear()) {
            tell(now);
        }
    }

    private void tell(long value) {
        memory.set(JAVA_LONG, SOURCE, value);
        while (!jfs.send(target, local, SOURCE, MESSAGE_BYTES, value)) {
            jfc.poll(batch); // on a busy machine an engine may lose its CPU with the records of many sends in its hands
        }
    }

    /** Polls until a message is there, past the records of our own sends; gives its buffer back. */
    private long hear() {
        while (true) {
            int count = jfc.poll(batch);
            for (int i = 0; i < count; i++) {
                if (!batch.isSuccess(i)) {
                    throw new IllegalStateException(batch.toString());
                }
                if (batch.isReceive(i)) {
                    long buffer = batch.userContext(i);
                    long value = memory.get(JAVA_LONG, buffer);
                    receive(buffer);
                    return value;
                }
            }
        }
    }

    private void receive(long buffer) {
        if (!jfr.receive(local, buffer, MESSAGE_BYTES, buffer)) {
            throw new IllegalStateException("the receive queue is full");
        }
    }
}
