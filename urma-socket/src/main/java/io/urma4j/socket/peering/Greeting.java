package io.urma4j.socket.peering;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What the sockets of two processes tell each other: kind and version, a number, and a text. */
sealed interface Greeting {
    /** A process that wants to connect asks another to share memory; {@code arena} is the line of its own. */
    record Hello(int version, long request, String arena) implements Greeting {}

    /** The answer: the line of the other memory. */
    record Welcome(long request, String arena) implements Greeting {}

    /** The answer of a process that does not, and why. */
    record Refusal(int version, long request, String reason) implements Greeting {}

    /** A connection waits at the listener of this number, which the application has not accepted. */
    record Pending(long listener) implements Greeting {}

    /** The longest greeting, with which a message of the default size has room for its reply address. */
    int MAX_BYTES = 4096;

    private static int head(int kind) {
        return 0x5553_4b00 | kind; // USK
    }

    /** Its bytes. */
    default byte[] toBytes() {
        return switch (this) {
            case Hello hello -> encode(head('H'), hello.version(), hello.request(), hello.arena());
            case Welcome welcome -> encode(head('W'), ArenaLayout.VERSION, welcome.request(), welcome.arena());
            case Refusal refusal -> encode(head('R'), refusal.version(), refusal.request(), refusal.reason());
            case Pending pending -> encode(head('P'), ArenaLayout.VERSION, pending.listener(), "");
        };
    }

    private static byte[] encode(int head, int version, long number, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + bytes.length)
                .putInt(head)
                .putInt(version)
                .putLong(number)
                .put(bytes)
                .array();
    }

    /** What a peer sent, if it is a greeting. A text that no greeting of this version has is for its receiver to refuse. */
    static Optional<Greeting> parse(byte[] bytes) {
        if (bytes.length < 2 * Integer.BYTES + Long.BYTES || bytes.length > MAX_BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int head = in.getInt();
        int version = in.getInt();
        long number = in.getLong();
        String text = StandardCharsets.UTF_8.decode(in).toString();
        if (head == head('H')) {
            return Optional.of(new Hello(version, number, text));
        }
        if (head == head('W')) {
            return Optional.of(new Welcome(number, text));
        }
        if (head == head('R')) {
            return Optional.of(new Refusal(version, number, text));
        }
        return head == head('P') ? Optional.of(new Pending(number)) : Optional.empty();
    }
}
