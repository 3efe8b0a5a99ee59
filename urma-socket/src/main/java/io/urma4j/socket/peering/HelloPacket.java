package io.urma4j.socket.peering;

import io.urma4j.Eid;
import io.urma4j.PeerId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The datagrams by which a process asks another host for a listener, at the number of its TCP port. No answer is longer than its
 * question, and the first one holds nothing but a cookie, so that a forged question draws no traffic.
 *
 * <pre>
 *  0  magic and kind, an int     32  number of the listener, a long     64  incarnation of the process, a long
 *  4  version, an int            40  EID of the process, two longs      72  length of the line, an int
 *  8  request, a long            56  UASID of the process, a long       76  line of its message channel
 * 16  cookie, two longs
 * </pre>
 */
sealed interface HelloPacket {
    /** Asks for a listener, with the cookie of a challenge, or zeros. */
    record Question(int version, long request, Cookie cookie) implements HelloPacket {}

    /** To be repeated with this cookie, which shows that the question came from its address. */
    record Challenge(int version, long request, Cookie cookie) implements HelloPacket {}

    /** The listener. */
    record Answer(int version, long request, long listener, PeerId home, String line) implements HelloPacket {}

    /** 16 bytes that only the host that made them can foresee. */
    record Cookie(long high, long low) {
        static final Cookie NONE = new Cookie(0, 0);
    }

    /** The length of a question; the most of an answer. It passes each network whole. */
    int QUESTION_BYTES = 1000;

    private static int head(char kind) {
        return 0x5553_4800 | kind; // USH
    }

    /** The bytes of it, which are no more than those of a question. */
    default byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(QUESTION_BYTES);
        switch (this) {
            case Question question -> {
                begin(bytes, 'Q', question.version(), question.request(), question.cookie());
                bytes.position(QUESTION_BYTES);
            }
            case Challenge challenge -> begin(bytes, 'C', challenge.version(), challenge.request(), challenge.cookie());
            case Answer answer -> {
                begin(bytes, 'A', answer.version(), answer.request(), Cookie.NONE);
                PeerId home = answer.home();
                byte[] line = answer.line().getBytes(StandardCharsets.US_ASCII);
                bytes.putLong(answer.listener())
                        .putLong(home.eid().high())
                        .putLong(home.eid().low())
                        .putLong(home.uasid())
                        .putLong(home.incarnation())
                        .putInt(line.length)
                        .put(line);
            }
        }
        byte[] all = new byte[bytes.flip().remaining()];
        bytes.get(all);
        return all;
    }

    private static void begin(ByteBuffer bytes, char kind, int version, long request, Cookie cookie) {
        bytes.putInt(head(kind))
                .putInt(version)
                .putLong(request)
                .putLong(cookie.high())
                .putLong(cookie.low());
    }

    /** What a host has sent, if it is one of these. */
    static Optional<HelloPacket> parse(ByteBuffer bytes) {
        if (bytes.remaining() < 2 * Integer.BYTES + 3 * Long.BYTES || bytes.remaining() > QUESTION_BYTES) {
            return Optional.empty();
        }
        boolean isLong = bytes.remaining() == QUESTION_BYTES;
        int head = bytes.getInt();
        int version = bytes.getInt();
        long request = bytes.getLong();
        Cookie cookie = new Cookie(bytes.getLong(), bytes.getLong());
        if (head == head('Q') && isLong) {
            return Optional.of(new Question(version, request, cookie));
        }
        if (head == head('C')) {
            return Optional.of(new Challenge(version, request, cookie));
        }
        return head == head('A') ? parseAnswer(bytes, version, request) : Optional.empty();
    }

    private static Optional<HelloPacket> parseAnswer(ByteBuffer bytes, int version, long request) {
        if (bytes.remaining() < 5 * Long.BYTES + Integer.BYTES) {
            return Optional.empty();
        }
        long listener = bytes.getLong();
        Eid eid = new Eid(bytes.getLong(), bytes.getLong());
        long uasid = bytes.getLong();
        long incarnation = bytes.getLong();
        if (bytes.getInt() != bytes.remaining() || eid.isZero() || uasid < 0 || uasid >= 1 << 24) {
            return Optional.empty();
        }
        String line = StandardCharsets.US_ASCII.decode(bytes).toString();
        return Optional.of(new Answer(version, request, listener, new PeerId(eid, (int) uasid, incarnation), line));
    }
}
