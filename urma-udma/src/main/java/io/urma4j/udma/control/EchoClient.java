package io.urma4j.udma.control;

import io.urma4j.udma.control.ControlDatagram.Kind;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends echo requests to a port, and measures the round-trip time: the other end is {@link ControlPort}. The first echo is
 * answered by a cookie, which it and later ones repeat; time counts from the repetition. An answer carries a random number
 * of 64 bits, so that a host that does not see the echo cannot forge one. For one thread; the time is an argument.
 */
public final class EchoClient {
    /** Maximum bytes of an echo. */
    public static final int MAX_BODY_BYTES = ControlDatagram.MAX_BODY_BYTES;

    /** A home that requests more cookies for one echo is faulty. */
    private static final int MAX_CHALLENGES = 3;

    private final int udpPort;
    private final ByteBuffer body;
    private final RandomGenerator random;
    private final long session;
    private final Map<Long, Asked> asked = new HashMap<>(); // by number
    private long cookie;

    private record Asked(int sequence, long sentNanos, int challenges) {}

    /** The result of a received datagram. */
    public sealed interface Reply {
        /** The answer to an echo, with its round-trip time. */
        record Answer(int sequence, long nanos) implements Reply {}

        /** The home requests a proof of address: send this datagram instead of the echo. */
        record Again(ByteBuffer datagram) implements Reply {}
    }

    /**
     * A client that has sent nothing.
     *
     * @param udpPort for answers
     * @param bodyBytes of each echo, from 0 to {@link #MAX_BODY_BYTES}
     */
    public EchoClient(int udpPort, int bodyBytes, RandomGenerator random) {
        this.udpPort = udpPort;
        this.random = random;
        this.session = random.nextLong();
        byte[] content = new byte[bodyBytes];
        for (int i = 0; i < bodyBytes; i++) {
            content[i] = (byte) i;
        }
        this.body = ByteBuffer.wrap(content).asReadOnlyBuffer();
    }

    /** The datagram of an echo, which is pending until it is answered or cancelled. */
    public ByteBuffer ask(int sequence, long nowNanos) {
        long number = random.nextLong();
        asked.put(number, new Asked(sequence, nowNanos, 0));
        return datagram(number);
    }

    private ByteBuffer datagram(long number) {
        return new ControlDatagram(Kind.ECHO, udpPort, number, 0, session, cookie, 0, body.duplicate()).encode();
    }

    /** Receives the payload of a UD packet to QP 1; null if it is no answer to a pending echo. */
    public @Nullable Reply received(ByteBuffer payload, long nowNanos) {
        ControlDatagram datagram = ControlDatagram.decode(payload);
        if (datagram == null || datagram.to() != session) {
            return null;
        }
        Asked echo = asked.get(datagram.number());
        if (echo == null) {
            return null;
        }
        return switch (datagram.kind()) {
            case CHALLENGE -> challenged(datagram, echo, nowNanos);
            case ECHOED -> answered(datagram, echo, nowNanos);
            case GREET, WELCOME, UNKNOWN, REQUEST, ANSWER, ECHO -> null;
        };
    }

    private @Nullable Reply challenged(ControlDatagram challenge, Asked echo, long nowNanos) {
        if (echo.challenges == MAX_CHALLENGES) {
            return null;
        }
        cookie = challenge.tag();
        asked.put(challenge.number(), new Asked(echo.sequence, nowNanos, echo.challenges + 1));
        return new Reply.Again(datagram(challenge.number()));
    }

    private @Nullable Reply answered(ControlDatagram answer, Asked echo, long nowNanos) {
        if (!answer.body().equals(body)) {
            return null;
        }
        giveUp(echo.sequence);
        return new Reply.Answer(echo.sequence, nowNanos - echo.sentNanos);
    }

    /** Cancels an echo; false if it was answered. */
    public boolean giveUp(int sequence) {
        return asked.values().removeIf(echo -> echo.sequence == sequence);
    }

    /** The number of pending echoes. */
    public int waiting() {
        return asked.size();
    }
}
