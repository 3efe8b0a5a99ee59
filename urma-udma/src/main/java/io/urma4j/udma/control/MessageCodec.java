package io.urma4j.udma.control;

import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import io.urma4j.udma.control.PeerMessage.Ping;
import io.urma4j.udma.control.PeerMessage.QueueBound;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The bytes of a message: one byte of type, then the core's bytes or the components in order. */
final class MessageCodec {
    private static final int CORE = 0;
    private static final int PING = 1;
    private static final int BIND_QUEUE = 2;
    private static final int QUEUE_BOUND = 3;

    private static final int MAX_CORE_BYTES = ControlDatagram.MAX_BODY_BYTES - 1;

    private MessageCodec() {}

    static ByteBuffer encode(PeerMessage message) {
        ByteBuffer bytes = ByteBuffer.allocate(ControlDatagram.MAX_BODY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        switch (message) {
            case Core m -> bytes.put((byte) CORE).put(fitting(m.message()));
            case Ping _ -> bytes.put((byte) PING);
            case BindQueue m ->
                bytes.put((byte) BIND_QUEUE)
                        .putInt(m.queue())
                        .putInt(m.partner())
                        .putInt(m.orderType())
                        .putInt(m.firstPsn())
                        .putInt(m.mtuBytes());
            case QueueBound m ->
                bytes.put((byte) QUEUE_BOUND).putInt(m.firstPsn()).putInt(m.mtuBytes());
        }
        return bytes.flip();
    }

    /** Truncates lists until the message fits into a datagram; all other messages fit. */
    private static ByteBuffer fitting(ControlMessage message) {
        ControlMessage shorter = message;
        ByteBuffer bytes = ControlCodec.encode(shorter);
        while (bytes.remaining() > MAX_CORE_BYTES) {
            shorter = switch (shorter) {
                case Named m ->
                    new Named(
                            m.request(),
                            m.tokenId(),
                            m.key(),
                            m.lengthBytes(),
                            m.access(),
                            m.policy(),
                            m.token(),
                            m.vaBase(),
                            withoutLast(m.users()));
                case Inspected m -> new Inspected(m.request(), withoutLast(m.resources()), false);
                default -> throw new IllegalStateException(shorter + " does not fit into a datagram");
            };
            bytes = ControlCodec.encode(shorter);
        }
        return bytes;
    }

    private static List<String> withoutLast(List<String> lines) {
        return lines.subList(0, lines.size() - 1);
    }

    /**
     * Parses a message that fills {@code body}.
     *
     * @throws ControlFormatException for everything that {@link #encode} does not write
     */
    static PeerMessage decode(ByteBuffer body) throws ControlFormatException {
        ByteBuffer bytes = body.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (!bytes.hasRemaining()) {
            throw new ControlFormatException("the datagram carries no message");
        }
        int type = bytes.get() & 0xFF;
        return switch (type) {
            case CORE -> new Core(ControlCodec.decode(bytes));
            case PING -> {
                need(bytes, 0);
                yield new Ping();
            }
            case BIND_QUEUE -> {
                need(bytes, 5 * Integer.BYTES);
                yield new BindQueue(bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getInt());
            }
            case QUEUE_BOUND -> {
                need(bytes, 2 * Integer.BYTES);
                yield new QueueBound(bytes.getInt(), bytes.getInt());
            }
            default ->
                throw new ControlFormatException(
                        "message type " + type + " of the network is unknown to control protocol " + ControlCodec.MAJOR
                                + "." + ControlCodec.MINOR);
        };
    }

    private static void need(ByteBuffer bytes, int length) throws ControlFormatException {
        if (bytes.remaining() != length) {
            throw new ControlFormatException(
                    "the message has " + bytes.remaining() + " bytes behind its type instead of " + length);
        }
    }
}
