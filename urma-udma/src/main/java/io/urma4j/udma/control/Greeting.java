package io.urma4j.udma.control;

import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.udma.wire.PathMtu;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What GREET and WELCOME carry: the core's greeting, and the sender's half of the connection that begins with it.
 *
 * <pre>
 *    0  tag     u64  that datagrams to the sender of this must carry; its lowest bit as bit 32 of the features
 *    8  life    u64  number of the sender's attempt: what a smaller one says is over
 *   16  half         number u32, first PSN u32, MTU u32
 *   28  length  u16  of the core's greeting, which follows
 * </pre>
 */
record Greeting(long tag, long life, ConnectionEnd half, Hello hello) {
    private static final int FIXED_BYTES = 30;
    private static final int MAX_24 = 0xFF_FFFF;

    ByteBuffer encode() {
        ByteBuffer core = ControlCodec.encode(hello);
        ByteBuffer all = ByteBuffer.allocate(FIXED_BYTES + core.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        all.putLong(tag).putLong(life);
        all.putInt(half.number()).putInt(half.firstPsn()).putInt(half.mtuBytes());
        all.putShort((short) core.remaining()).put(core);
        return all.flip();
    }

    /**
     * Reads one; padding may follow.
     *
     * @throws ControlFormatException for everything that {@link #encode} does not write
     */
    static Greeting decode(ByteBuffer body) throws ControlFormatException {
        ByteBuffer bytes = body.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < FIXED_BYTES) {
            throw new ControlFormatException("a greeting of " + bytes.remaining() + " bytes is too short");
        }
        long tag = bytes.getLong();
        long life = bytes.getLong();
        ConnectionEnd half = new ConnectionEnd(bytes.getInt(), bytes.getInt(), bytes.getInt());
        int length = bytes.getShort() & 0xFFFF;
        if (length > bytes.remaining()) {
            throw new ControlFormatException("the greeting ends early");
        }
        if (!(ControlCodec.decode(bytes.slice(bytes.position(), length)) instanceof Hello hello)) {
            throw new ControlFormatException("the greeting carries another message");
        }
        if (hello.major() == ControlCodec.MAJOR) { // another version is refused, whatever it offers
            check(tag, half, hello);
        }
        return new Greeting(tag, life, half, hello);
    }

    private static void check(long tag, ConnectionEnd half, Hello hello) throws ControlFormatException {
        if (!isPossible(half)) {
            throw new ControlFormatException("the greeting offers " + half);
        }
        if (!PacketSecret.isMeant(tag, hello.features())) {
            throw new ControlFormatException("tag and features of the greeting contradict each other about the secret");
        }
    }

    private static boolean isPossible(ConnectionEnd half) {
        return (half.number() & ~MAX_24) == 0 && (half.firstPsn() & ~MAX_24) == 0 && PathMtu.isOfRoce(half.mtuBytes());
    }
}
