package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.message.PublishedAddress;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.WorkRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue: its buffers wait for messages. It is used alone, or as the receive half of one or several Jetties.
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
        Jfr made = Lifetime.retaining(List.of(jfc.life()), "a JFR that is being made", () -> {
            Jfr jfr = new Jfr(context, jfc, config, from.createReceiveQueue(config, jfc.provider()));
            jfr.checkBorn();
            return jfr;
        });
        jfc.attach(made, made.depth());
        return made;
    }

    /** Every attached queue learns of an overflow; so the check comes after attaching. */
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

    /** Capacity in receive work requests, after rounding. */
    public int depth() {
        return provider.depth();
    }

    public ReceiveState state() {
        return provider.state();
    }

    /** What a peer needs to send to this queue, except the token. */
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
     * Publishes the queue under a name for processes of this user on this host, until it is closed; {@link
     * UrmaContext#importJetty(String)} finds it by {@code name:NAME}.
     *
     * @param name 1…255 characters, letters, digits, {@code . _ -}
     * @throws UrmaException EEXIST if the name is taken
     */
    public void publish(String name) {
        life.checkOpen();
        published.add(new PublishedAddress(context, name, share()), 0);
    }

    /**
     * Posts a buffer for one message. The buffer belongs to the library until the message's record.
     *
     * <p>Messages take buffers in posting order, each when it begins. If several queues send to this one, a record may come
     * before that of a longer message that began earlier (S10.1); the user context identifies the buffer.
     *
     * @param userContext returned in the record
     * @return false if the queue is full, and nothing was added
     * @throws UrmaException EINVAL when closed, in ERROR, or if the range lies outside the segment
     */
    public boolean receive(LocalSegment buffer, long offset, long lengthBytes, long userContext) {
        if (closed) {
            throw Checks.closed(this);
        }
        return provider.receive(
                buffer.checkedAsDestination(context, offset, lengthBytes), offset, lengthBytes, userContext);
    }

    /**
     * Posts receive work requests from a list, in order.
     *
     * @return how many were added; less than the list's size if the queue is full or the next request was refused, see
     *     {@link WorkRequestList#refusal()}
     */
    public int receive(WorkRequestList list) {
        return receive(list, 0);
    }

    /**
     * Posts the rest of a list that an earlier call added in part: the receives from {@code fromIndex} on, in order.
     *
     * @param fromIndex the result of the earlier call
     * @return the index of the first request that was not added, from the list's start; otherwise as {@link
     *     #receive(WorkRequestList)}
     * @throws UrmaException EINVAL for an index outside 0…size of the list; nothing was added then
     */
    public int receive(WorkRequestList list, int fromIndex) {
        life.checkOpen();
        return list.postTo(this, fromIndex, context, config.maxSges());
    }

    boolean receive(WorkRequest request) {
        return provider.receive(request);
    }

    /**
     * Moves to another state; EINVAL, naming both states, if the move is illegal (S6.2), or if the JFC has overflowed
     * (S10.5).
     */
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
     * Requests one event JFR_LIMIT when fewer receive work requests than {@code threshold} are left: at once if that is
     * already so, else when a message takes one (S12.2).
     *
     * @throws UrmaException EINVAL outside 0…depth; 0 cancels the request
     */
    public void rxThreshold(int threshold) {
        life.checkOpen();
        Checks.inRange(this, "rxThreshold", threshold, 0, depth());
        provider.rxThreshold(threshold);
    }

    /**
     * A snapshot of the queue's counters.
     *
     * @throws UrmaException EINVAL when closed
     */
    public Counters counters() {
        life.checkOpen();
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

    /** Closes the queue; EAGAIN while a Jetty uses it. Idempotent. */
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
