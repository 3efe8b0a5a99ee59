package io.urma4j.socket;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * The key of one of our channels at one of our selectors. It has a key of the JDK, which keeps what is wanted and ready; but for
 * channels with a {@link Readiness}, for which this key does.
 */
final class UrmaSelectionKey extends AbstractSelectionKey {
    private final AbstractSelectableChannel channel;
    private final Delegate delegate;
    private final UrmaSelector selector;
    private final SelectionKey inner;

    private volatile @Nullable Readiness readiness; // as the three below changed under this
    private volatile int interest;
    private boolean isInnerReady;
    private int polled;

    private volatile int ready; // what the selector has reported, which only a selection changes

    // under the selector's lock
    private boolean isDeregistered;
    boolean isHot; // to be asked in the next selection

    UrmaSelectionKey(AbstractSelectableChannel channel, Delegate delegate, UrmaSelector selector, SelectionKey inner) {
        this.channel = channel;
        this.delegate = delegate;
        this.selector = selector;
        this.inner = inner;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public synchronized int interestOps() {
        ensureValid();
        int innerOps = inner.interestOps(); // which refuses if the channel is closed
        return readiness == null ? innerOps : interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        setInterest(ops, 0);
        return this;
    }

    @Override
    public int interestOpsOr(int ops) {
        return setInterest(ops, -1);
    }

    @Override
    public int interestOpsAnd(int ops) {
        synchronized (this) {
            return setInterest(ops & interestOps(), 0);
        }
    }

    /** Sets it to {@code ops} and those of {@code kept} that it has already. Returns what it was. */
    private synchronized int setInterest(int ops, int kept) {
        int before = interestOps();
        int next = ops | before & kept;
        if ((next & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException();
        }
        if (readiness == null) {
            inner.interestOps(next);
        } else {
            interest = next;
            inner.interestOps(readiness.innerInterest(next));
            selector.hot().recheck(this);
        }
        return before;
    }

    @Override
    public int readyOps() {
        ensureValid();
        int innerReady = inner.readyOps(); // which refuses if the channel is closed
        return hasReadiness() ? ready : innerReady;
    }

    private void ensureValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    /** From now on this key keeps what is wanted and ready. */
    synchronized void take(Readiness next) {
        try {
            interest = interestOps();
            readiness = next;
            ready = 0;
            next.registered(this);
            if (!isValid()) {
                next.deregistered(this); // its selector may have forgotten it already
            }
            recheck();
        } catch (CancelledKeyException e) {
            readiness = next; // nothing asks it any more
        }
    }

    synchronized boolean hasReadiness() {
        return readiness != null;
    }

    /** The channel may have become ready, and the JDK's selector does not know. Or it has to be watched in another way. */
    synchronized void recheck() {
        if (watch()) {
            wakeSelector();
        }
    }

    /** From now on the JDK's selector watches what it has to. Returns whether the key is valid. */
    private boolean watch() {
        Readiness present = readiness;
        try {
            if (present != null) {
                inner.interestOps(present.innerInterest(interest));
            }
            return true;
        } catch (CancelledKeyException e) {
            return false;
        }
    }

    /** What the selector asks; a channel with a {@link Readiness} says so when it is ready. */
    HotKeys hotKeys() {
        return selector.hot();
    }

    boolean isRegistered() {
        return selector.knows(this);
    }

    /** The channel may have become ready. Takes no lock. */
    void wakeSelector() {
        selector.hot().recheckAtOnce(this);
    }

    /** The JDK's selector has reported the JDK's channel. */
    synchronized void woken() throws IOException {
        isInnerReady = true;
        Readiness present = readiness;
        if (present != null) {
            present.woken();
            if (present.hasToPoll()) {
                var _ = watch(); // or it would report the JDK's channel without end
            }
            delegate.recheckOthers(this);
        }
    }

    /** What is ready of what is wanted, now. For a key with a {@link Readiness}. */
    synchronized int poll() {
        polled = 0;
        if (readiness != null && interest != 0 && isValid() && inner.isValid()) {
            polled = readiness.ready(interest, isInnerReady);
        }
        return polled;
    }

    /** What was ready when it was asked last. The JDK's report is used up. */
    synchronized int polled() {
        isInnerReady = false;
        return polled;
    }

    /** Whether a selection that spins should ask this key. Takes no lock. */
    boolean hasNews() {
        Readiness present = readiness;
        return present != null && present.hasNews(interest);
    }

    synchronized boolean hasToPoll() {
        return readiness != null && interest != 0 && readiness.hasToPoll();
    }

    /** The key was selected before. Returns whether something was added. */
    boolean addReady(int ops) {
        int before = ready;
        boolean hangsUp = (ops & Readiness.HANGS_UP) != 0;
        ready = hangsUp ? ops & ~Readiness.HANGS_UP : before | ops;
        return (ready & ~before) != 0;
    }

    /** The key was not selected before. */
    void setReady(int ops) {
        ready = ops & ~Readiness.HANGS_UP;
    }

    /** Whether what the selector has reported is still wanted. */
    boolean isStillReady() {
        try {
            return !isDeregistered && (readyOps() & interestOps()) != 0;
        } catch (CancelledKeyException e) { // its channel was closed
            return false;
        }
    }

    void cancelInner() {
        inner.cancel();
    }

    /** The selector has forgotten this key. */
    void deregistered() {
        isDeregistered = true;
        delegate.deregistered(this);
    }

    @Override
    public String toString() {
        return "key of " + channel + (isValid() && inner.isValid() ? "" : ", cancelled");
    }
}
