package io.urma4j.bench.compare.end;

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
import java.util.function.LongConsumer;

/** Messages of urma4j: SEND into buffers that the receiver has handed in. */
final class UrmaLink implements Link {
    private static final int SMALL_BYTES = 4096;
    private static final int SILENT = 32; // small messages for one record
    private static final int OUTSTANDING = 16; // large ones

    private final UrmaCard card;
    private final Jfs jfs;
    private final Jfc jfc;
    private final Jfr jfr;
    private final LocalSegment local;
    private final MemorySegment memory;
    private final TargetJetty target;
    private final int bytes;
    private final CompletionBatch batch = new CompletionBatch(64);
    private final int silent;
    private final int slots; // enough that no slot is overwritten while its message is in flight
    private long sent;
    private long done;

    UrmaLink(UrmaCard card, Jfr jfr, TargetJetty target, int bytes, long buffers, int count) {
        this.card = card;
        this.jfs = card.jfs;
        this.jfc = card.jfc;
        this.jfr = jfr;
        this.local = card.local;
        this.memory = card.local.memory();
        this.target = target;
        this.bytes = bytes;
        this.silent = bytes <= SMALL_BYTES ? SILENT : 1;
        this.slots = bytes <= SMALL_BYTES
                ? UrmaCard.DEPTH
                : (int) Math.min(OUTSTANDING, (buffers - UrmaCard.SOURCE) / bytes);
        for (int i = 0; i < count; i++) {
            receive(buffers + (long) i * bytes);
        }
    }

    @Override
    public boolean offer(long number) {
        if (sent - done >= slots) {
            return false;
        }
        long source = UrmaCard.SOURCE + sent % slots * bytes;
        memory.set(JAVA_LONG, source, number);
        boolean signalled = (sent + 1) % silent == 0 || number < 0; // the last one frees the slots of all
        PostFlags flags = signalled ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED;
        if (!jfs.send(Opcode.SEND, target, local, source, bytes, 0, number, flags)) {
            return false;
        }
        sent++;
        card.due += signalled ? 1 : 0;
        return true;
    }

    @Override
    public int poll(LongConsumer arrived) {
        int count = jfc.poll(batch);
        int received = 0;
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw new IllegalStateException(batch.toString());
            }
            if (batch.isReceive(i)) {
                long buffer = batch.userContext(i);
                long number = memory.get(JAVA_LONG, buffer);
                receive(buffer);
                arrived.accept(number);
                received++;
            } else {
                done += silent;
                card.due--;
            }
        }
        return received;
    }

    private void receive(long buffer) {
        if (!jfr.receive(local, buffer, bytes, buffer)) {
            throw new IllegalStateException("the receive queue is full");
        }
    }
}
