package io.urma4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A message that a {@link MessageChannel} received.
 *
 * @param sender the queue that sent it; a channel has one for each of its peers. It is no reply address
 * @param payload its bytes: a read-only copy on the heap, owned by the caller
 * @param immediate the number sent with the bytes, if any
 * @param replyTo address and token of the sender's channel, if the message was sent by {@code sendWithReply}; for {@link
 *     MessageChannel#reply(Message, byte[])} and {@link MessageChannel#connect(SharedJetty)}. It always names the context
 *     that sent the message
 */
public record Message(JettyId sender, MemorySegment payload, OptionalLong immediate, Optional<SharedJetty> replyTo) {
    /** A copy of the payload. */
    public byte[] bytes() {
        return payload.toArray(ValueLayout.JAVA_BYTE);
    }
}
