package io.urma4j.socket.peering;

import io.urma4j.Access;
import io.urma4j.PeerId;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * What a listener publishes: how to greet its process.
 *
 * <pre>
 *  0  magic   4  version   8  open: 1 until the listener is closed
 * 12  length of the line   16  number of the listener in its process, a long
 * 24  line of the process's message channel
 * </pre>
 */
final class Listing implements AutoCloseable {
    private static final int MAGIC = 0x5553_4b4c; // USKL
    private static final int LENGTH_BYTES = 4096;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final long VERSION = 4;
    private static final long OPEN = 8;
    private static final long LINE_LENGTH = 12;
    private static final long NUMBER = 16;
    private static final long LINE = 24;

    private final OwnMemory memory;
    private final MemorySegment bytes;

    /** Publishes a listener of this process; refused if another one has the name. */
    Listing(UrmaContext context, String name, long number, String channelLine) {
        this.memory = OwnMemory.open(context, LENGTH_BYTES, Access.READ);
        this.bytes = memory.bytes();
        byte[] line = channelLine.getBytes(StandardCharsets.US_ASCII);
        bytes.set(ValueLayout.JAVA_INT, 0, MAGIC);
        bytes.set(ValueLayout.JAVA_INT, VERSION, ArenaLayout.VERSION);
        bytes.set(ValueLayout.JAVA_INT, OPEN, 1);
        bytes.set(ValueLayout.JAVA_INT, LINE_LENGTH, line.length);
        bytes.set(ValueLayout.JAVA_LONG, NUMBER, number);
        MemorySegment.copy(line, 0, bytes, ValueLayout.JAVA_BYTE, LINE, line.length);
        try {
            memory.segment().publish(name);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Clients see at once that the listener is closed. */
    void markClosed() {
        INT.setRelease(bytes, OPEN, 0);
    }

    @Override
    public void close() {
        memory.close();
    }

    /** A listing of another process, or of this one. */
    static final class Found implements Listed {
        private final RemoteSegment segment;
        private final PeerId home;
        private final MemorySegment bytes;
        private final long number;

        /**
         * Maps the segment.
         *
         * @throws IllegalArgumentException if it is none of a listener
         */
        Found(RemoteSegment segment, PeerId home) {
            this.segment = segment;
            this.home = home;
            this.bytes = segment.map();
            if (bytes.byteSize() != LENGTH_BYTES || bytes.get(ValueLayout.JAVA_INT, 0) != MAGIC) {
                throw new IllegalArgumentException(segment + " describes no listener");
            }
            this.number = bytes.get(ValueLayout.JAVA_LONG, NUMBER); // an offer that waits needs it, perhaps after close
        }

        @Override
        public PeerId home() {
            return home;
        }

        int version() {
            return bytes.get(ValueLayout.JAVA_INT, VERSION);
        }

        @Override
        public boolean isOpen() {
            try {
                return !segment.isRevoked() && (int) INT.getAcquire(bytes, OPEN) != 0;
            } catch (IllegalStateException e) { // revoked just now
                return false;
            }
        }

        @Override
        public long number() {
            return number;
        }

        @Override
        public String channelLine() {
            int length = bytes.get(ValueLayout.JAVA_INT, LINE_LENGTH);
            if (length < 0 || length > LENGTH_BYTES - LINE) {
                throw new IllegalArgumentException(segment + " has a line of " + length + " bytes");
            }
            return new String(bytes.asSlice(LINE, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
        }

        @Override
        public void close() {
            segment.close();
        }
    }
}
