package io.urma4j.tck;

import io.urma4j.PipeWriter;
import java.lang.foreign.MemorySegment;

/** The writing end of a pipe in this process. */
final class LocalHomePipeWriter implements HomePipeWriter {
    private final PipeWriter writer;

    LocalHomePipeWriter(PipeWriter writer) {
        this.writer = writer;
    }

    @Override
    public void send(byte[] message) {
        writer.send(MemorySegment.ofArray(message), Patience.LIMIT);
    }

    @Override
    public void sendSeries(PipeSeries series, int count) {
        for (int i = 0; i < count; i++) {
            send(series.message(i));
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
