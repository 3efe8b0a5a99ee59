package io.urma4j.bench.compare.end;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.PipeReader;
import io.urma4j.PipeWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * Messages of urma4j by a pipe each way. A handler sees a message where it lies, as that of Aeron does, and could leave it
 * there; here it copies it out, as messages by queues and by the rings are.
 */
final class UrmaPipes implements Link {
    private static final int POLLS = 64;

    private final PipeReader in;
    private final PipeWriter out;
    private final MemorySegment message;
    private final MemorySegment received;
    private final int bytes;
    private final PipeReader.Handler handler = this::onMessage;
    private LongConsumer arrived = number -> {};

    UrmaPipes(PipeReader in, PipeWriter out, int bytes) {
        this.in = in;
        this.out = out;
        this.bytes = bytes;
        this.message = Arena.ofAuto().allocate(bytes, 64);
        this.received = Arena.ofAuto().allocate(bytes, 64);
    }

    @Override
    public boolean offer(long number) {
        message.set(JAVA_LONG, 0, number);
        return out.trySend(message, 0, bytes);
    }

    @Override
    public int poll(LongConsumer sink) {
        arrived = sink;
        return in.poll(handler, POLLS);
    }

    private void onMessage(MemorySegment memory, long offset, int lengthBytes) {
        MemorySegment.copy(memory, offset, received, 0, lengthBytes);
        arrived.accept(received.get(JAVA_LONG, 0));
    }
}
