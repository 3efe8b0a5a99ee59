package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.message.PublishedAddress;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: buffers wait in it for messages. Alone, or as the receiving half of one or several Jetties.
 *
 * <p>Safe for any number of threads.
 */
public final class Jfr implements ContextObject {
    private final UrmaContext context;
    private final Jfc jfc;
    private final JfrConfig config;
    private final ProviderReceiveQueue provider;
    private final Lifetime life = new Lifetime(this);
    private final ClosingOrder published = new ClosingOrder(this);
    private volatile boolean closed;

    private Jfr(UrmaContext context, Jfc jfc, JfrConfig config, ProviderReceiveQueue provider) {
        this.context = context;
        this.jfc = jfc;
        this.config = config;
        this.provider = provider;
    }

    static Jfr create(UrmaContext context, ProviderContext from, Jfc jfc, JfrConfig config) {
        Object pending = new Object() {
            @Override
            public String toString() {
                return "a JFR that is being made";
            }
        };
        jfc.life().retain(pending);
        try {
            Jfr jfr = new Jfr(context, jfc, config, from.createReceiveQueue(config, jfc.provider()));
            jfr.checkBorn();
            jfc.life().retain(jfr);
            jfc.attach(jfr, jfr.depth());
            return jfr;
        } finally {
            jfc.life().release(pending);
        }
    }

    /** Whoever completes in a JFC hears when it overflows; so this look comes after that. */
    private void checkBorn() {
        try {
            jfc.checkValid(this);
        } catch (UrmaException e) {
            provider.close();
            throw e;
        }
    }

    public int id() {
        return provider.id();
    }

    /** How many receive work requests it holds, after rounding. */
    public int depth() {
        return provider.depth();
    }

    public ReceiveState state() {
        return provider.state();
    }

    /** What a peer needs to send to it, except the token. */
    public JettyDescriptor descriptor() {
        return provider.descriptor();
    }

    TokenPolicy policy() {
        return config.policy();
    }

    /** The secret that senders need. */
    public Token token() {
        return config.token();
    }

    /** Descriptor and token as one line for any side channel. */
    public String share() {
        return new SharedJetty(descriptor(), token()).toLine();
    }

    /**
     * Makes it visible under a name to processes of this user on this host, until it is closed; {@link UrmaContext#importJetty(String)}
     * finds it by {@code name:NAME}.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST when something else has the name
     */
    public void publish(String name) {
        life.checkOpen();
        published.add(PublishedAddress.of(context, name, share()), 0);
    }

    /**
     * Adds a buffer for one message. It belongs to the library until the message's record.
     *
     * <p>Messages take buffers in the order of posting, each when it begins. Where several queues send to this one, a record
     * may come before that of a longer message that began earlier (S10.1): the user context says which buffer it is.
     *
     * @param userContext comes back in the record
     * @return false when the queue is full, and nothing was added
     * @throws UrmaException EINVAL when closed, in ERROR, or the range lies outside the segment
     */
    public boolean receive(LocalSegment buffer, long offset, long lengthBytes, long userContext) {
        if (closed) {
            throw Checks.closed(this);
        }
        return provider.receive(buffer.checked(context, offset, lengthBytes), offset, lengthBytes, userContext);
    }

    /**
     * Adds receive work requests from a list, in order.
     *
     * @return how many were added; less than the list's size when the queue is full or the next one was refused, as
     *     {@link WorkRequestList#refusal()} tells
     */
    public int receive(WorkRequestList list) {
        life.checkOpen();
        return list.postTo(this, 0, context, config.maxSges());
    }

    /**
     * Adds the rest of a list, of which an earlier call added a part: the receives from {@code fromIndex} on, in order.
     *
     * @param fromIndex what the earlier call returned
     * @return the index of the first that was not added, counted from the list's start; otherwise as {@link
     *     #receive(WorkRequestList)}
     * @throws UrmaException EINVAL for an index outside 0…size of the list; nothing was added then
     */
    public int receive(WorkRequestList list, int fromIndex) {
        life.checkOpen();
        return list.postTo(this, fromIndex, context, config.maxSges());
    }

    boolean receive(io.urma4j.spi.WorkRequest request) {
        return provider.receive(request);
    }

    /** Moves to another state; EINVAL naming both when there is no such move (S6.2), or its JFC has overflowed (S10.5). */
    public void modify(ReceiveState next) {
        life.checkOpen();
        ReceiveState now = provider.state();
        if (now == next) {
            return;
        }
        if (!now.mayBecome(next)) {
            throw Checks.invalid(this, "cannot go from " + now + " to " + next);
        }
        if (next == ReceiveState.READY) {
            jfc.checkValid(this);
        }
        provider.modify(next);
    }

    /**
     * Asks for one event JFR_LIMIT when fewer receive work requests than {@code threshold} wait: at once when it is so
     * already, else when a message takes one (S12.2).
     *
     * @throws UrmaException EINVAL outside 0…depth; 0 takes the demand back
     */
    public void rxThreshold(int threshold) {
        life.checkOpen();
        Checks.inRange(this, "rxThreshold", threshold, 0, depth());
        provider.rxThreshold(threshold);
    }

    public Counters counters() {
        return provider.counters();
    }

    void checkAgrees(JfsConfig send) {
        if (send.mode() != config.mode()
                || send.orderType().effective(send.mode()) != config.orderType().effective(config.mode())) {
            throw Checks.invalid(
                    this,
                    "mode " + config.mode() + " and order type " + config.orderType() + " differ from the Jetty's "
                            + send.mode() + " and " + send.orderType());
        }
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    Jfc jfc() {
        return jfc;
    }

    ProviderReceiveQueue provider() {
        return provider;
    }

    Lifetime life() {
        return life;
    }

    /** Ends it; EAGAIN while a Jetty uses it. Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            closed = true;
            context.children().remove(this);
            @Nullable RuntimeException failure = published.closeAll();
            provider.close();
            jfc.detach(depth());
            jfc.life().release(this);
            ClosingOrder.throwIfFailed(failure);
        }
    }

    @Override
    public String toString() {
        return "JFR " + context.uasid() + "/" + provider.id();
    }
}
