package io.urma4j.examples.blockstore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * What the server answers: a {@link Head}, and after it a text in US-ASCII.
 *
 * @param credits unfinished requests that the client may have
 * @param id of the request
 * @param revision that the block has
 * @param lengthBytes of the block
 * @param payloadCrc of the block's bytes, as the files have it
 * @param text of WELCOME: the {@code Peer} that the client exports to; else the reason of a refusal, or nothing
 */
record Reply(
        Status status,
        int credits,
        long session,
        long id,
        long revision,
        int lengthBytes,
        int payloadCrc,
        String text) {
    static final int MOST_TEXT_BYTES = 400;

    /** The replies, numbered as declared. */
    enum Status {
        /** The session has begun. */
        WELCOME,
        /** The block is in the client's memory, or on the disk. */
        DONE,
        /** READ: no write of the block was ever acknowledged. */
        NOT_FOUND,
        /** WRITE: the block has a later revision, or other bytes of the same one. */
        STALE,
        /** WRITE: the files are full. */
        FULL,
        /** READ: the stored bytes fail their checksum. WRITE: those that the server read from the client's memory do. */
        CORRUPT,
        /** The request has values outside of their limits, or memory that the client may not name. */
        BAD_REQUEST,
        /** The client had no credit for it, and has lost its session. */
        NO_CREDIT,
        /** The server could not do it now: the transfer failed, or a buffer was not free in time. Worth another attempt. */
        RETRY,
        /** The files failed, and the server accepts no more writes. */
        BROKEN;

        private static final Status[] ALL = values();
    }

    /** A reply without a block. */
    static Reply of(Status status, Request request, String text) {
        return new Reply(status, 0, request.session(), request.id(), request.revision(), 0, 0, text);
    }

    Reply withCredits(int granted) {
        return new Reply(status, granted, session, id, revision, lengthBytes, payloadCrc, text);
    }

    /** The whole message. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of their numbers
    MemorySegment toMessage() {
        byte[] line = text.getBytes(StandardCharsets.US_ASCII);
        int textBytes = Math.min(line.length, MOST_TEXT_BYTES);
        MemorySegment message = MemorySegment.ofArray(new byte[Head.BYTES + textBytes]);
        new Head(status.ordinal(), credits, session, id, 0, revision, lengthBytes, payloadCrc).write(message);
        MemorySegment.copy(MemorySegment.ofArray(line), 0, message, Head.BYTES, textBytes);
        return message;
    }

    /** Reads a message; refuses all but what {@link #toMessage} wrote. */
    static Reply read(MemorySegment message) {
        Head head = Head.read(message);
        if (head.kind() < 0 || head.kind() >= Status.ALL.length) {
            throw new BadMessageException("a reply of status " + head.kind());
        }
        long textBytes = message.byteSize() - Head.BYTES;
        if (textBytes > MOST_TEXT_BYTES) {
            throw new BadMessageException("a reply with " + textBytes + " bytes of text, at most " + MOST_TEXT_BYTES);
        }
        byte[] text = message.asSlice(Head.BYTES).toArray(ValueLayout.JAVA_BYTE);
        return new Reply(
                Status.ALL[head.kind()],
                head.credits(),
                head.session(),
                head.id(),
                head.revision(),
                head.lengthBytes(),
                head.payloadCrc(),
                new String(text, StandardCharsets.US_ASCII));
    }
}
