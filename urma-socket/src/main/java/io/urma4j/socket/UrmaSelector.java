package io.urma4j.socket;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A selector around one of the JDK, in which only the channels within ours are registered. Its locks are those that
 * {@link Selector} specifies: this selector, then the selected keys, then the cancelled ones.
 */
final class UrmaSelector extends AbstractSelector {
    private static final long AT_ONCE = 0;
    private static final long FOR_EVER = -1;

    private final Selector inner;
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> selected = new HashSet<>();
    private final Set<SelectionKey> publicKeys = Collections.unmodifiableSet(keys);
    private final Set<SelectionKey> publicSelected = new RemovalSet<>(selected);
    private final Consumer<SelectionKey> report = this::report;

    // set before the JDK's selector is woken, whose own note of it a look without waiting discards
    private volatile boolean woken;

    // of the selection in progress, under both locks
    private boolean selecting;
    private boolean acting;
    private @Nullable UrmaSelectionKey[] reported = new UrmaSelectionKey[16];
    private int reports;

    UrmaSelector(SelectorProvider provider, Selector inner) {
        super(provider);
        this.inner = inner;
    }

    @Override
    public Set<SelectionKey> keys() {
        ensureOpen();
        return publicKeys;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        ensureOpen();
        return publicSelected;
    }

    private void ensureOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
        ensureOpen();
        if (!(channel instanceof Wrapper wrapper)) {
            throw new IllegalSelectorException(); // with a key of ours and one of the JDK it would never be released
        }
        SelectionKey innerKey = registerInner(wrapper);
        var key = new UrmaSelectionKey(channel, wrapper.delegate(), this, innerKey);
        key.attach(attachment);
        innerKey.attach(key);
        wrapper.delegate().registered(key);
        keys.add(key);
        try {
            innerKey.interestOps(ops);
        } catch (CancelledKeyException e) {
            // another thread has found the key among ours, and cancelled it: it is returned so
        }
        if (!isOpen()) {
            keys.remove(key);
            key.deregistered();
            throw new ClosedSelectorException();
        }
        return key;
    }

    /** Without interest, so that nothing is reported before our key is there. */
    private SelectionKey registerInner(Wrapper wrapper) {
        try {
            return wrapper.delegate().channel().register(inner, 0);
        } catch (ClosedChannelException e) { // by an interrupt, a moment ago
            throw (CancelledKeyException) new CancelledKeyException().initCause(e);
        }
    }

    @Override
    public int selectNow() throws IOException {
        return doSelect(null, AT_ONCE);
    }

    @Override
    public int select(long timeout) throws IOException {
        return doSelect(null, checked(timeout));
    }

    @Override
    public int select() throws IOException {
        return doSelect(null, FOR_EVER);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return doSelect(Objects.requireNonNull(action), AT_ONCE);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        return doSelect(Objects.requireNonNull(action), checked(timeout));
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return doSelect(Objects.requireNonNull(action), FOR_EVER);
    }

    private static long checked(long timeout) {
        if (timeout < 0) {
            throw new IllegalArgumentException("Negative timeout");
        }
        return timeout == 0 ? FOR_EVER : timeout;
    }

    private synchronized int doSelect(@Nullable Consumer<SelectionKey> action, long timeout) throws IOException {
        ensureOpen();
        if (selecting) {
            throw new IllegalStateException("select in progress");
        }
        selecting = true;
        acting = action != null;
        try {
            synchronized (publicSelected) {
                int updated = selectInner(timeout);
                if (action != null) {
                    return perform(action);
                }
                if (updated > 0) {
                    addToSelected();
                }
                return updated;
            }
        } finally {
            forgetReports();
            selecting = false;
        }
    }

    private void addToSelected() {
        for (SelectionKey innerKey : inner.selectedKeys()) {
            selected.add((SelectionKey) innerKey.attachment());
        }
    }

    /** Returns how many keys are ready for more than before. */
    private int selectInner(long timeout) throws IOException {
        unselectInner();
        int updated = deregisterCancelled();
        if (updated == 0) {
            updated = callInner(woken ? AT_ONCE : timeout);
        }
        updated += deregisterCancelled();
        woken = false; // a wake-up until now has ended this selection
        return updated;
    }

    /** The program has removed keys from those that are selected. */
    private void unselectInner() {
        Set<SelectionKey> innerSelected = inner.selectedKeys();
        if (selected.isEmpty()) {
            innerSelected.clear();
        } else if (!innerSelected.isEmpty()) { // an iterator is an object
            innerSelected.removeIf(innerKey -> !selected.contains((SelectionKey) innerKey.attachment()));
        }
    }

    private int callInner(long timeout) throws IOException {
        forgetReports();
        if (timeout == AT_ONCE) {
            return acting ? inner.selectNow(report) : inner.selectNow();
        }
        long millis = timeout == FOR_EVER ? 0 : timeout;
        return acting ? inner.select(report, millis) : inner.select(millis);
    }

    /** Their channels may be closed soon, and are not to be kept. */
    private void forgetReports() {
        Arrays.fill(reported, 0, reports, null);
        reports = 0;
    }

    private void report(SelectionKey innerKey) {
        if (reports == reported.length) {
            reported = Arrays.copyOf(reported, 2 * reports);
        }
        reported[reports++] = (UrmaSelectionKey) innerKey.attachment();
    }

    /** An action may cancel the keys of the next ones, change their interest, or close this selector. */
    private int perform(Consumer<SelectionKey> action) {
        int performed = 0;
        for (int i = 0; i < reports; i++) {
            UrmaSelectionKey key = reported[i];
            if (key != null && key.isStillReady()) {
                performed++;
                action.accept(key);
                ensureOpen();
            }
        }
        return performed;
    }

    /**
     * Removes the cancelled keys: the JDK's before ours, so that a channel that registers again meets neither. The JDK's
     * selector does that in a selection alone. Returns how many keys it has found ready for more than before.
     */
    private int deregisterCancelled() throws IOException {
        Set<SelectionKey> cancelled = cancelledKeys();
        synchronized (cancelled) {
            if (cancelled.isEmpty()) {
                return 0;
            }
            for (SelectionKey key : cancelled) {
                ((UrmaSelectionKey) key).cancelInner();
            }
            int updated = callInner(AT_ONCE);
            for (SelectionKey key : cancelled) {
                forget((UrmaSelectionKey) key);
            }
            cancelled.clear();
            return updated;
        }
    }

    private void forget(UrmaSelectionKey key) {
        keys.remove(key);
        selected.remove(key);
        deregister(key);
        key.deregistered();
    }

    @Override
    public Selector wakeup() {
        woken = true;
        inner.wakeup();
        return this;
    }

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (publicSelected) {
                inner.close();
                for (SelectionKey key : keys) {
                    forget((UrmaSelectionKey) key);
                }
            }
        }
    }

    @Override
    public String toString() {
        return "selector of " + keys.size() + " keys" + (isOpen() ? "" : ", closed");
    }
}
