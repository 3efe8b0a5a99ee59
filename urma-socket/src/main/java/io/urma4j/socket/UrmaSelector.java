package io.urma4j.socket;

import io.urma4j.Resource;
import io.urma4j.socket.ring.SpinUse;
import io.urma4j.socket.ring.Spinner;
import io.urma4j.socket.ring.Spinning;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A selector around one of the JDK, in which only the channels within ours are registered. Its locks are those that
 * {@link Selector} specifies: this selector, then the selected keys, then the cancelled ones.
 */
final class UrmaSelector extends AbstractSelector implements Connections.Row {
    private static final long AT_ONCE = 0;
    private static final long FOR_EVER = -1;

    private final Connections connections;
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

    private final HotKeys hot;
    private final Spinner spinner;
    private final Spinner.Check hasNews = this::hasNews;

    UrmaSelector(UrmaSelectorProvider provider, Selector inner, Spinning spinning) {
        super(provider);
        this.connections = provider.connections();
        this.inner = inner;
        this.hot = new HotKeys(inner);
        this.spinner = spinning.spinner();
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
            key.interestOps(ops);
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
                int updated = selectUntil(timeout);
                return action == null ? updated : perform(action);
            }
        } finally {
            forgetReports();
            selecting = false;
        }
    }

    /** Returns how many keys are ready for more than before. A doorbell that changes nothing does not end the wait. */
    private int selectUntil(long timeoutMillis) throws IOException {
        unselectInner();
        int updated = deregisterCancelled();
        long began = timeoutMillis > 0 ? System.nanoTime() : 0;
        if (updated == 0 && !hot.isEmpty() && (timeoutMillis == FOR_EVER || spinner.isShorterThan(timeoutMillis))) {
            var _ = spinner.await(hasNews);
        }
        boolean goesOn = true;
        while (goesOn) {
            long left = updated > 0 || woken ? AT_ONCE : left(timeoutMillis, began);
            hot.ask();
            boolean isHotReady = hot.isOneReady();
            updated += isHotReady || left == AT_ONCE ? selectInner(AT_ONCE) : sleepInner(bounded(left));
            // the JDK's selector does not wait either while a key is ready for no more than before
            goesOn = left != AT_ONCE && !isHotReady && inner.selectedKeys().isEmpty();
            updated += reportHot();
            goesOn &= !hot.isOneReady(); // the same for keys of ours
            goesOn &= updated == 0 && !woken && !Thread.currentThread().isInterrupted() && isOpen();
        }
        updated += deregisterCancelled();
        woken = false; // a wake-up until now has ended this selection
        return updated;
    }

    /** Whether a selection that spins has something to ask; or this is not the time to spin. */
    private boolean hasNews() {
        return hot.haveNews() || woken || Thread.currentThread().isInterrupted();
    }

    private static long left(long timeoutMillis, long began) {
        if (timeoutMillis <= 0) {
            return timeoutMillis;
        }
        long passedMillis = (System.nanoTime() - began) / 1_000_000;
        return Math.max(timeoutMillis - passedMillis, AT_ONCE);
    }

    private long bounded(long leftMillis) {
        return hot.haveToPoll() ? 1 : leftMillis;
    }

    /** The program has removed keys from those that are selected, or connected a channel that has got rings. */
    private void unselectInner() {
        Set<SelectionKey> innerSelected = inner.selectedKeys();
        if (selected.isEmpty()) {
            innerSelected.clear();
        } else if (!innerSelected.isEmpty()) { // an iterator is an object
            innerSelected.removeIf(innerKey -> !isSelectedByJdk((UrmaSelectionKey) innerKey.attachment()));
        }
    }

    private boolean isSelectedByJdk(UrmaSelectionKey key) {
        return selected.contains(key) && !key.hasReadiness();
    }

    /** The same as {@link #selectInner}, for a time in which peers have to ring. */
    private int sleepInner(long timeout) throws IOException {
        try {
            return selectInner(hot.readySets().asleep() ? timeout : AT_ONCE);
        } finally {
            hot.readySets().awake();
        }
    }

    /** Returns how many keys of which the JDK knows all are ready for more than before. The others become hot. */
    private int selectInner(long timeout) throws IOException {
        if (acting) {
            int before = forgetInnerReports();
            int found = timeout == AT_ONCE ? inner.selectNow(report) : inner.select(report, Math.max(timeout, 0));
            return found == 0 ? 0 : keepReportsFrom(before);
        }
        int found = timeout == AT_ONCE ? inner.selectNow() : inner.select(Math.max(timeout, 0));
        // a key that got rings since the selection before is taken, too, and the JDK has not counted it again
        return found == 0 ? 0 : Math.max(found - takeSelected(), 0);
    }

    /** Selects the keys of the JDK that are. Returns how many became hot in place of that. */
    private int takeSelected() throws IOException {
        int own = 0;
        Iterator<SelectionKey> innerSelected = inner.selectedKeys().iterator();
        while (innerSelected.hasNext()) {
            UrmaSelectionKey key = (UrmaSelectionKey) innerSelected.next().attachment();
            if (key.hasReadiness()) {
                own++;
                innerSelected.remove();
                wakeUp(key);
            } else {
                selected.add(key);
            }
        }
        return own;
    }

    /** The JDK reports again what is ready. Returns how many of the others remain. */
    private int forgetInnerReports() {
        int kept = 0;
        for (int i = 0; i < reports; i++) {
            UrmaSelectionKey key = Objects.requireNonNull(reported[i]);
            if (key.hasReadiness()) {
                reported[kept++] = key;
            }
        }
        Arrays.fill(reported, kept, reports, null);
        reports = kept;
        return kept;
    }

    private int keepReportsFrom(int before) throws IOException {
        int kept = before;
        for (int i = before; i < reports; i++) {
            UrmaSelectionKey key = Objects.requireNonNull(reported[i]);
            if (key.hasReadiness()) {
                wakeUp(key);
            } else {
                reported[kept++] = key;
            }
        }
        Arrays.fill(reported, kept, reports, null);
        reports = kept;
        return kept - before;
    }

    private void wakeUp(UrmaSelectionKey key) throws IOException {
        try {
            key.woken();
        } catch (ClosedChannelException e) {
            return; // by another thread, a moment ago
        }
        hot.heat(key);
    }

    /** Selects those that are ready. Returns how many are so for more than before. */
    private int reportHot() {
        hot.ask();
        int updated = 0;
        for (int i = 0; i < hot.size(); i++) {
            UrmaSelectionKey key = hot.get(i);
            int ready = key.polled();
            updated += ready != 0 && isUpdated(key, ready) ? 1 : 0;
        }
        return updated;
    }

    private boolean isUpdated(UrmaSelectionKey key, int ready) {
        if (acting) {
            key.setReady(ready);
            return addReport(key);
        }
        if (selected.add(key)) {
            key.setReady(ready);
            return true;
        }
        return key.addReady(ready);
    }

    private boolean addReport(UrmaSelectionKey key) {
        for (int i = 0; i < reports; i++) {
            if (reported[i] == key) {
                return false;
            }
        }
        reportKey(key);
        return true;
    }

    /** The keys that the next selection asks. */
    HotKeys hot() {
        return hot;
    }

    boolean knows(UrmaSelectionKey key) {
        return keys.contains(key);
    }

    /** Their channels may be closed soon, and are not to be kept. */
    private void forgetReports() {
        Arrays.fill(reported, 0, reports, null);
        reports = 0;
    }

    private void report(SelectionKey innerKey) {
        reportKey((UrmaSelectionKey) innerKey.attachment());
    }

    private void reportKey(UrmaSelectionKey key) {
        if (reports == reported.length) {
            reported = Arrays.copyOf(reported, 2 * reports);
        }
        reported[reports++] = key;
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
     * selector does that in a selection alone. Returns how many keys that has found ready for more than before.
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
            int updated = selectInner(AT_ONCE);
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
        connections.remove(this);
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

    /** Its spins, if there were any: they belong to no connection. */
    @Override
    public Optional<Resource> describe(long number) {
        SpinUse use = spinner.use();
        if (use.spins() == 0) {
            return Optional.empty();
        }
        var row = Resource.builder(Resource.Kind.SOCKET, number).add("local", "selector of " + keys.size() + " keys");
        return Optional.of(Connections.describe(row, use).build());
    }

    @Override
    public String toString() {
        return "selector of " + keys.size() + " keys" + (isOpen() ? "" : ", closed");
    }
}
