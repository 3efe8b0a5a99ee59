package io.urma4j.buffer;

import io.urma4j.DescriptorException;
import io.urma4j.Eid;
import io.urma4j.PeerId;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import io.urma4j.internal.descriptor.DescriptorField;
import io.urma4j.internal.descriptor.DescriptorKind;
import io.urma4j.internal.descriptor.DescriptorText;
import io.urma4j.internal.descriptor.FrameBuffer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The contexts of a process to which another process exports buffers. It is no secret, and proves nothing: the peers prove their
 * identities when they connect. A message carries it once, as a line of text.
 *
 * <p>Its form is a descriptor of the kind {@code peer}, with a field for each context, in their order:
 *
 * <pre>
 *    0  eid          16 bytes
 *   16  uasid        u32
 *   20  incarnation  u64
 *   28  provider     ASCII, up to the end of the field
 * </pre>
 *
 * @param contexts 1 to 16 different ones, in the order of the places that {@link RemoteBuf.Window#user} names
 */
public record Peer(List<Member> contexts) {
    private static final String NAME = "peer";
    private static final int MOST = RemoteBuf.MOST_DEVICES;
    private static final int FIXED_BYTES = 28;

    /**
     * Checks the values.
     *
     * @throws UrmaException EINVAL for another number of contexts, or for one that stands there twice
     */
    public Peer {
        contexts = List.copyOf(contexts);
        Checks.inRange(NAME, "number of contexts", contexts.size(), 1, MOST);
        if (contexts.stream().map(Member::id).distinct().count() < contexts.size()) {
            throw Checks.invalid(NAME, "a context stands twice in " + contexts);
        }
    }

    /**
     * A context of the process.
     *
     * @param provider kind of its device: {@code shm}, {@code udma}, …
     */
    public record Member(String provider, PeerId id) {
        private static final Pattern PROVIDER = Pattern.compile("[a-z][a-z0-9-]{0,31}");

        /**
         * Checks the value.
         *
         * @throws UrmaException EINVAL if {@code provider} is no name of a provider
         */
        public Member {
            if (!PROVIDER.matcher(provider).matches()) {
                throw Checks.invalid(NAME, "provider must be 1…32 lower-case letters, digits and '-'");
            }
        }

        /** The identity of a context. */
        public static Member of(UrmaContext context) {
            return new Member(context.device().attributes().provider(), context.peerId());
        }
    }

    /** The contexts of this process that use what others export to it. */
    public static Peer of(UrmaContext... contexts) {
        return new Peer(Arrays.stream(contexts).map(Member::of).toList());
    }

    /** Its text form: one line without blanks, checksummed. */
    public String toText() {
        FrameBuffer frame = new FrameBuffer();
        frame.begin(DescriptorKind.PEER);
        for (Member member : contexts) {
            int field = frame.beginField(DescriptorField.PEER_ID);
            frame.putLong(member.id.eid().high());
            frame.putLong(member.id.eid().low());
            frame.putInt(member.id.uasid());
            frame.putLong(member.id.incarnation());
            frame.putBytes(member.provider.getBytes(StandardCharsets.US_ASCII));
            frame.endField(field);
        }
        var _ = frame.seal();
        return DescriptorText.write(DescriptorKind.PEER, frame.toBytes());
    }

    /**
     * Parses the text form; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character differs from what {@link #toText} wrote
     */
    public static Peer parse(String text) {
        FrameBuffer frame = new FrameBuffer();
        try {
            frame.open(DescriptorKind.PEER, MemorySegment.ofArray(DescriptorText.read(DescriptorKind.PEER, text)));
            List<Member> members = new ArrayList<>();
            while (frame.hasRemaining()) {
                if (frame.nextField(DescriptorKind.PEER) == DescriptorField.PEER_ID) {
                    members.add(member(frame, frame.fieldBytes()));
                }
            }
            return new Peer(members);
        } catch (UrmaException e) {
            throw RemoteBufCodec.refused(e);
        }
    }

    private static Member member(FrameBuffer frame, int fieldBytes) {
        if (fieldBytes < FIXED_BYTES) {
            throw new DescriptorException("field '" + DescriptorField.PEER_ID + "' has " + fieldBytes
                    + " bytes, must have at least " + FIXED_BYTES);
        }
        Eid eid = new Eid(frame.getLong(), frame.getLong());
        PeerId id = new PeerId(eid, frame.getInt(), frame.getLong());
        int length = fieldBytes - FIXED_BYTES;
        String provider = new String(frame.bytes(), frame.position(), length, StandardCharsets.ISO_8859_1);
        frame.skip(length);
        return new Member(provider, id);
    }

    @Override
    public String toString() {
        return "peer of " + contexts.stream().map(Member::provider).toList();
    }
}
