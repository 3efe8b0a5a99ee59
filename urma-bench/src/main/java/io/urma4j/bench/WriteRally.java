package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Each end writes 8 bytes into the other's segment, polls the record, and watches its own memory. */
final class WriteRally implements Rally {
    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final long INBOX = 0;
    private static final long SOURCE = 1024;

    private final Jfs jfs;
    private final Jfc jfc;
    private final CompletionBatch batch;
    private final LocalSegment local;
    private final RemoteSegment remote;
    private final MemorySegment memory;
    private final boolean isDriven; // the polling thread places the payload of what arrives
    private long turn;
    private long returned; // not read again from memory, which may have the first turn of the next rally already

    WriteRally(RallyEnd end, RemoteSegment remote) {
        this.jfs = end.jfs;
        this.jfc = end.jfc;
        this.batch = end.batch;
        this.local = end.local;
        this.remote = remote;
        this.memory = end.local.memory();
        this.isDriven = end.isDriven;
    }

    @Override
    public void serve(int turns) {
        for (int i = 0; i < turns; i++) {
            tell(++turn);
            while ((long) U64.getAcquire(memory, INBOX) != turn) {
                look();
            }
        }
    }

    @Override
    public void stop() {
        tell(STOP);
    }

    @Override
    public void returnAll() {
        while (true) {
            long now = (long) U64.getAcquire(memory, INBOX);
            if (now == STOP) {
                U64.setRelease(memory, INBOX, returned); // so that the next rally does not begin with its end
                return;
            }
            if (now != returned) {
                tell(now);
                returned = now;
            } else {
                look();
            }
        }
    }

    private void look() {
        if (isDriven) {
            jfc.poll(batch); // empty: each record was awaited
        } else {
            Thread.onSpinWait();
        }
    }

    private void tell(long value) {
        memory.set(JAVA_LONG, SOURCE, value);
        if (!jfs.write(remote, INBOX, local, SOURCE, Long.BYTES, value)) {
            throw new IllegalStateException("the queue is full");
        }
        Records.one(jfc, batch);
    }
}
