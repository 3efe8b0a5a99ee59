package io.urma4j.examples.blockstore;

import io.urma4j.buffer.RdmaBuf;
import java.lang.foreign.MemorySegment;

/** A block that was read, in a leased buffer, which {@link #close} returns. */
public final class ReadBlock implements AutoCloseable {
    private final RdmaBuf buf;
    private final long revision;
    private final int lengthBytes;

    ReadBlock(RdmaBuf buf, long revision, int lengthBytes) {
        this.buf = buf;
        this.revision = revision;
        this.lengthBytes = lengthBytes;
    }

    /** Of its content, as its writer counted. */
    public long revision() {
        return revision;
    }

    /** Its bytes, until it is closed. */
    public MemorySegment bytes() {
        return buf.view().first(lengthBytes).segment();
    }

    @Override
    public void close() {
        buf.close();
    }
}
