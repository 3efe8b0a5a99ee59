package io.urma4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A message that a {@link MessageChannel} received.
 *
 * @param sender the queue that it came from: a channel has one towards each of its peers. No address to answer to
 * @param payload its bytes: a copy on the heap, read-only, which is the caller's for ever
 * @param immediate the number that came beside the bytes, when there was one
 * @param replyTo address and token of its sender's channel, when it was sent by {@code sendWithReply}; for {@link
 *     MessageChannel#reply(Message, byte[])} and {@link MessageChannel#connect(SharedJetty)}. It names the context that the
 *     message came from, never another one
 */
public record Message(JettyId sender, MemorySegment payload, OptionalLong immediate, Optional<SharedJetty> replyTo) {
    /** A copy of the payload. */
    public byte[] bytes() {
        return payload.toArray(ValueLayout.JAVA_BYTE);
    }
}
