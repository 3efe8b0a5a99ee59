package io.urma4j.examples.blockstore;

import io.urma4j.examples.blockstore.store.BlockStore;
import java.lang.foreign.MemorySegment;

/**
 * What a client asks for: a {@link Head}, and after it in READ and WRITE the binary form of the {@code RemoteBuf} that the server
 * writes or reads.
 *
 * @param session from the reply to HELLO; 0 in HELLO
 * @param id chosen by the client, which finds the reply by it
 * @param block any number in 0…2⁴⁸ − 1
 * @param revision of a WRITE, 1 at least, and higher than of earlier WRITEs of that block
 * @param lengthBytes of a WRITE: of the block; of a READ: the most that the client's memory takes
 * @param payloadCrc of a WRITE: CRC32C of the bytes
 */
record Request(Kind kind, long session, long id, long block, long revision, int lengthBytes, int payloadCrc) {
    static final long MOST_BLOCK = (1L << 48) - 1;

    /** The requests, numbered as declared. */
    enum Kind {
        /** Begins a session. */
        HELLO,
        READ,
        WRITE,
        /** Ends a session; it has no reply. */
        BYE;

        private static final Kind[] ALL = values();

        boolean hasMemory() {
            return this == READ || this == WRITE;
        }
    }

    static Request hello(long id) {
        return new Request(Kind.HELLO, 0, id, 0, 0, 0, 0);
    }

    static Request bye(long session) {
        return new Request(Kind.BYE, session, 0, 0, 0, 0, 0);
    }

    /** Writes the head. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of their numbers
    void write(MemorySegment to) {
        new Head(kind.ordinal(), 0, session, id, block, revision, lengthBytes, payloadCrc).write(to);
    }

    /** Reads the head of a message; its values may still be absurd, see {@link #check}. */
    static Request read(MemorySegment message) {
        Head head = Head.read(message);
        if (head.kind() < 0 || head.kind() >= Kind.ALL.length) {
            throw new BadMessageException("a request of kind " + head.kind());
        }
        return new Request(
                Kind.ALL[head.kind()],
                head.session(),
                head.id(),
                head.block(),
                head.revision(),
                head.lengthBytes(),
                head.payloadCrc());
    }

    /** Refuses values outside of their limits. */
    void check() {
        if (!kind.hasMemory()) {
            return;
        }
        checkRange("block", block, 0, MOST_BLOCK);
        checkRange("length", lengthBytes, BlockStore.LEAST_BYTES, BlockStore.MOST_BYTES);
        if (kind == Kind.WRITE) {
            checkRange("revision", revision, 1, Long.MAX_VALUE);
        }
    }

    private static void checkRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new BadMessageException(name + " is " + value + ", must lie in " + least + "…" + most);
        }
    }
}
