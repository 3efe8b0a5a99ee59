package io.urma4j.socket;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;

/** The key of one of our channels at one of our selectors; it has a key of the JDK, which keeps what is wanted and ready. */
final class UrmaSelectionKey extends AbstractSelectionKey {
    private final AbstractSelectableChannel channel;
    private final Delegate delegate;
    private final UrmaSelector selector;
    private final SelectionKey inner;

    private boolean isDeregistered; // under the selector's lock

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
    public int interestOps() {
        ensureValid();
        return inner.interestOps();
    }

    @Override
    public SelectionKey interestOps(int ops) {
        ensureValid();
        inner.interestOps(ops);
        return this;
    }

    @Override
    public int interestOpsOr(int ops) {
        ensureValid();
        return inner.interestOpsOr(ops);
    }

    @Override
    public int interestOpsAnd(int ops) {
        ensureValid();
        return inner.interestOpsAnd(ops);
    }

    @Override
    public int readyOps() {
        ensureValid();
        return inner.readyOps();
    }

    private void ensureValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    /** Whether what the JDK's selector has reported is still wanted. */
    boolean isStillReady() {
        try {
            return !isDeregistered && (inner.readyOps() & inner.interestOps()) != 0;
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
