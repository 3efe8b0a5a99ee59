package io.urma4j.internal.message;

import io.urma4j.DescriptorException;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.Message;
import io.urma4j.SharedJetty;
import io.urma4j.TransportMode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A message together with the address that its answer goes to. It is sent with the immediate {@link #MARK}, so that no
 * other message is looked into; its bytes, big-endian:
 * <pre>
 *    0  version    u8   1
 *    1  flags      u8   bit 0: the message has an immediate
 *    2  lineBytes  u16  at most 1024
 *    4  immediate  i64  0 when it has none
 *   12  line       ASCII, the reply address as {@link SharedJetty#toLine} writes it, checksummed
 *    …  payload
 * </pre>
 *
 * <p>Where any of that is otherwise, it is a message without a reply address, and arrives as it was sent.
 */
public final class ReplyEnvelope {
    /** The immediate of each message with a reply address; chosen at random. */
    public static final long MARK = 0xB1E7_5C0D_94A2_6F3BL;

    static final int VERSION = 1;
    public static final int HEAD_BYTES = 12;
    public static final int MAX_LINE_BYTES = 1024;

    private static final int HAS_IMMEDIATE = 1;

    private ReplyEnvelope() {}

    /** The bytes of an envelope for {@code payload}. */
    public static MemorySegment seal(byte[] line, MemorySegment payload, OptionalLong immediate) {
        int headBytes = HEAD_BYTES + line.length;
        byte[] bytes = new byte[Math.toIntExact(headBytes + payload.byteSize())];
        ByteBuffer.wrap(bytes)
                .put((byte) VERSION)
                .put((byte) (immediate.isPresent() ? HAS_IMMEDIATE : 0))
                .putShort((short) line.length)
                .putLong(immediate.orElse(0))
                .put(line);
        MemorySegment.copy(payload, ValueLayout.JAVA_BYTE, 0, bytes, headBytes, bytes.length - headBytes);
        return MemorySegment.ofArray(bytes);
    }

    /**
     * The message in an envelope; null when it is none, or when its address does not lead to {@code sender}.
     *
     * @param leadsTo whether a descriptor leads to the context of a queue, and to no other
     */
    static @Nullable Message open(byte[] bytes, JettyId sender, BiPredicate<JettyDescriptor, JettyId> leadsTo) {
        if (bytes.length < HEAD_BYTES) {
            return null;
        }
        ByteBuffer head = ByteBuffer.wrap(bytes);
        int version = head.get();
        int flags = head.get();
        int lineBytes = Short.toUnsignedInt(head.getShort());
        long immediate = head.getLong();
        boolean hasImmediate = flags == HAS_IMMEDIATE;
        boolean isReadable = version == VERSION && (flags & ~HAS_IMMEDIATE) == 0 && (hasImmediate || immediate == 0);
        if (!isReadable || lineBytes > MAX_LINE_BYTES || lineBytes > head.remaining()) {
            return null;
        }
        SharedJetty replyTo = parse(new String(bytes, HEAD_BYTES, lineBytes, StandardCharsets.ISO_8859_1));
        if (replyTo == null
                || replyTo.descriptor().mode() != TransportMode.RM
                || !leadsTo.test(replyTo.descriptor(), sender)) {
            return null;
        }
        return new Message(
                sender,
                MemorySegment.ofArray(bytes).asSlice(HEAD_BYTES + lineBytes).asReadOnly(),
                hasImmediate ? OptionalLong.of(immediate) : OptionalLong.empty(),
                Optional.of(replyTo));
    }

    private static @Nullable SharedJetty parse(String line) {
        try {
            return SharedJetty.parse(line);
        } catch (DescriptorException e) {
            return null;
        }
    }
}
