package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteWindow;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaContext;
import io.urma4j.buffer.RemoteBuf;
import java.lang.foreign.MemorySegment;

/** A buffer that was exported to a home in this process, by its window on the home's only device. */
final class LocalHomeRemoteBuf implements HomeRemoteBuf {
    private final UrmaContext context;
    private final RemoteBuf buf;
    private final RemoteWindow window;
    private SendSide queue;
    private byte[] lastRead = {};

    LocalHomeRemoteBuf(UrmaContext context, RemoteBuf buf) {
        this.context = context;
        this.buf = buf;
        var first = buf.windows().getFirst();
        this.window = context.importSegment(first.segment(), null).importWindow(first.key());
        this.queue = freshQueue(context);
    }

    /** A queue that a refused operation has not stopped. */
    private SendSide queue() {
        if (queue.jfs().state() != QueueState.READY) {
            queue = freshQueue(context);
        }
        return queue;
    }

    private static SendSide freshQueue(UrmaContext context) {
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        return new SendSide(context, jfc, context.createJfs(jfc, JfsConfig.DEFAULT));
    }

    @Override
    public Outcome write(long offset, byte[] bytes) {
        SendSide side = queue();
        MemorySegment.copy(bytes, 0, side.scratch().memory(), JAVA_BYTE, 0, bytes.length);
        window.write(side.jfs(), buf.offset() + offset, side.scratch(), 0, bytes.length, 1, PostFlags.DEFAULT);
        return side.awaitCompletion();
    }

    @Override
    public Outcome read(long offset, int lengthBytes) {
        SendSide side = queue();
        window.read(side.jfs(), buf.offset() + offset, side.scratch(), 0, lengthBytes, 1, PostFlags.DEFAULT);
        Outcome outcome = side.awaitCompletion();
        lastRead = side.scratch().memory().asSlice(0, lengthBytes).toArray(JAVA_BYTE);
        return outcome;
    }

    @Override
    public byte[] lastRead() {
        return lastRead;
    }

    @Override
    public Outcome addOne(long offset) {
        SendSide side = queue();
        window.atomic(side.jfs(), Opcode.FADD, buf.offset() + offset, side.scratch(), 0, 8, 1, 0, 1, PostFlags.DEFAULT);
        return side.awaitCompletion();
    }

    @Override
    public void hold(SharedJetty unready) {
        SendSide side = queue();
        side.jfs().send(context.importJetty(unready), side.scratch(), 0, 8, 1);
        window.write(side.jfs(), buf.offset(), side.scratch(), 0, 8, 2, PostFlags.DEFAULT); // keeps the order
    }
}
