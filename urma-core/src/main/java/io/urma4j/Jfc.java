package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.inspect.MeasuredJfc;
import io.urma4j.internal.inspect.PerfMeter;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.RecordSource;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue: it receives the records of work requests.
 *
 * <p>Safe for any number of threads, unless it was created lock-free: then one thread at a time.
 */
public final class Jfc implements ContextObject {
    private static final System.Logger LOG = System.getLogger(Jfc.class.getName());

    private final UrmaContext context;
    private final @Nullable Jfce jfce;
    private final ProviderJfc provider;
    private final PerfMeter meter;
    private RecordSource polled; // the provider's, or while it is measured one before it; plain, since both do
    private final Lifetime life = new Lifetime(this);
    private volatile boolean closed;
    private int attachedDepth; // of all its queues together; guarded by this
    private boolean warned;
    private final AtomicLong unacknowledged = new AtomicLong();

    private Jfc(UrmaContext context, ProviderContext from, JfcConfig config, @Nullable Jfce jfce) {
        this.context = context;
        this.jfce = jfce;
        this.provider = from.createJfc(config, this::onEvent);
        this.meter = context.meter();
        this.polled = provider;
    }

    static Jfc create(UrmaContext context, ProviderContext from, JfcConfig config, @Nullable Jfce jfce) {
        if (jfce == null) {
            return new Jfc(context, from, config, null);
        }
        Checks.belongs(context, jfce, context);
        Jfc jfc = new Jfc(context, from, config, jfce);
        try {
            jfce.life().retain(jfc);
        } catch (UrmaException e) {
            jfc.provider.close();
            throw e;
        }
        return jfc;
    }

    /** Attaches a queue; logs once if the attached queues together may overflow this JFC (S10.6). */
    synchronized void attach(Object queue, int queueDepth) {
        attachedDepth += queueDepth;
        if (attachedDepth > depth() && !warned) {
            warned = true;
            LOG.log(
                    Level.WARNING,
                    () -> this + " holds " + depth() + " records, but its queues may need " + attachedDepth
                            + " since " + queue + " of depth " + queueDepth
                            + " also completes there; if it overflows, all its queues go to ERROR");
        }
    }

    /** A JFC that has overflowed stays in ERROR: no queue can be created or restarted with it (S10.5). */
    void checkValid(Object queue) {
        if (!isValid()) {
            throw Checks.invalid(queue, this + " has overflowed and accepts no more records; use another JFC");
        }
    }

    synchronized void detach(int queueDepth) {
        attachedDepth -= queueDepth;
    }

    private void onEvent() {
        if (jfce != null) {
            jfce.raise(this);
        }
    }

    public int id() {
        return provider.id();
    }

    /** Capacity in records, after rounding. */
    public int depth() {
        return provider.depth();
    }

    /**
     * False once the JFC has overflowed: its queues are then in ERROR, and cannot become READY again. Existing records can
     * be polled, and {@link Jfs#flush} returns the rest. Then queues and JFC must be closed and replaced (S10.5).
     */
    public boolean isValid() {
        return provider.isValid();
    }

    /** The event channel, if any. */
    public Optional<Jfce> jfce() {
        return Optional.ofNullable(jfce);
    }

    /**
     * Moves records into {@code batch}, oldest first, and returns how many. Never blocks and allocates nothing. The call
     * also drives the pending work of the context, so a polling thread needs no other thread.
     */
    public int poll(CompletionBatch batch) {
        if (closed) {
            throw Checks.closed(this);
        }
        int count = polled.poll(batch.words(), batch.capacity());
        if (count > 0) {
            meter.restore(batch.words(), count);
        }
        return batch.filled(count);
    }

    /** Measures polls from now on; null stops measuring. */
    void measure(PerfMeter.@Nullable Run run) {
        polled = run == null ? provider : new MeasuredJfc(provider, run);
    }

    /**
     * Requests one event at the {@link Jfce}: at once if unpolled records exist, else with the next one. So "poll until
     * empty, rearm, wait" loses no wake-up (S11.1).
     *
     * @throws UrmaException EINVAL if the JFC was created without a JFCE
     */
    public void rearm(boolean solicitedOnly) {
        life.checkOpen();
        if (jfce == null) {
            throw Checks.invalid(this, "was created without a JFCE, which is needed for events");
        }
        provider.rearm(solicitedOnly);
    }

    /** {@link Jfce#await} has returned this JFC. */
    void reported() {
        unacknowledged.incrementAndGet();
    }

    /** Events that {@link Jfce#await} has reported and that are not acknowledged. */
    public long unacknowledged() {
        return unacknowledged.get();
    }

    /**
     * Acknowledges events, for applications that count them. Unacknowledged events neither block a close nor suppress later
     * events (S4.3).
     *
     * @throws UrmaException EINVAL for fewer than 0 or more than were reported
     */
    public void ack(long events) {
        life.checkOpen();
        while (true) {
            long reported = unacknowledged.get();
            Checks.inRange(this, "events", events, 0, reported);
            if (unacknowledged.compareAndSet(reported, reported - events)) {
                return;
            }
        }
    }

    /**
     * A snapshot of the JFC's counters.
     *
     * @throws UrmaException EINVAL when closed
     */
    public Counters counters() {
        life.checkOpen();
        return provider.counters();
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    ProviderJfc provider() {
        return provider;
    }

    Lifetime life() {
        return life;
    }

    /** Closes the JFC; EAGAIN while a queue uses it. Idempotent. */
    @Override
    public void close() {
        if (life.end()) {
            closed = true;
            context.children().remove(this);
            provider.close();
            if (jfce != null) {
                jfce.forget(this);
            }
        }
    }

    @Override
    public String toString() {
        return "JFC " + context.uasid() + "/" + provider.id();
    }
}
