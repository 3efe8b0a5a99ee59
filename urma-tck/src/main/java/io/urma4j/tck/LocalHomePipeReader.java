package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.PipeReader;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/** The reading end of a pipe in this process. */
final class LocalHomePipeReader implements HomePipeReader {
    private static final int POLLS = 16;

    private final PipeReader reader;
    private final Queue<byte[]> arrived = new ArrayDeque<>();

    LocalHomePipeReader(PipeReader reader) {
        this.reader = reader;
    }

    @Override
    public String share() {
        return reader.share();
    }

    @Override
    public byte[] next() {
        Patience.await("a message in " + reader, this::hasMessage);
        return arrived.remove();
    }

    private boolean hasMessage() {
        if (arrived.isEmpty()) {
            reader.poll(
                    (memory, offset, lengthBytes) ->
                            arrived.add(memory.asSlice(offset, lengthBytes).toArray(JAVA_BYTE)),
                    POLLS);
        }
        return !arrived.isEmpty();
    }

    @Override
    public long firstWrong(PipeSeries series, int count) {
        for (int i = 0; i < count; i++) {
            if (!Arrays.equals(next(), series.message(i))) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean ends() {
        Patience.await("a message in, or the end of " + reader, () -> hasMessage() || reader.hasEnded());
        return arrived.isEmpty();
    }

    @Override
    public void close() {
        reader.close();
    }
}
