package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.udma.udp.PortCounters.Counter;
import io.urma4j.udma.udp.UdpPort;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * Reports when packets can no longer leave, and when they can again. It checks after a packet could not leave or when a
 * peer is silent, at most once a second, and then each second until sending works: an idle device checks nothing. The
 * engine's thread, except where stated.
 */
final class PortWatch implements EngineThread.Turn {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final UdpPort port;
    private final List<BiConsumer<AsyncEvent.Type, String>> listeners = new CopyOnWriteArrayList<>();
    private long seenNotSent;
    private long seenTooLong;
    private long nextNanos = Long.MIN_VALUE;
    private boolean doubted;
    private boolean isMtuTooSmall; // for a packet that could not leave
    private volatile String objection = "";

    PortWatch(UdpPort port) {
        this.port = port;
    }

    /** Why packets cannot leave; empty if they can, as far as is known. Any thread. */
    String objection() {
        return objection;
    }

    /** Adds a listener for PORT_DOWN and PORT_ACTIVE, with the reason. Any thread. */
    void add(BiConsumer<AsyncEvent.Type, String> listener) {
        listeners.add(listener);
    }

    /** Any thread. */
    void remove(BiConsumer<AsyncEvent.Type, String> listener) {
        listeners.remove(listener);
    }

    /** A peer is silent: the reason may be local, since an interface that is down accepts packets without an error. */
    void doubt() {
        doubted = true;
    }

    @Override
    public long run(long nowNanos) {
        boolean isCalm = objection.isEmpty() && !doubted && port.counters().notSent() == seenNotSent;
        if (isCalm) {
            return Long.MAX_VALUE;
        }
        if (nextNanos == Long.MIN_VALUE || nextNanos - nowNanos <= 0) {
            nextNanos = nowNanos + PAUSE_NANOS;
            look();
        }
        return nextNanos - nowNanos;
    }

    private void look() {
        doubted = false;
        seenNotSent = port.counters().notSent();
        long tooLong = port.counters().count(Counter.SEND_TOO_LONG_FOR_ROUTE);
        String found;
        try {
            found = port.objection();
            if (found.isEmpty() && (tooLong != seenTooLong || isMtuTooSmall)) {
                found = port.mtuObjection();
                isMtuTooSmall = !found.isEmpty();
            }
        } catch (UncheckedIOException e) { // without a free descriptor the interfaces cannot be listed
            return;
        }
        if (found.isEmpty() && tooLong != seenTooLong) {
            found = "packets exceed the current MTU of the path to a peer: " + port.trouble();
        }
        seenTooLong = tooLong;
        if (found.isEmpty() != objection.isEmpty()) {
            tell(found.isEmpty() ? AsyncEvent.Type.PORT_ACTIVE : AsyncEvent.Type.PORT_DOWN, found);
        }
        objection = found;
    }

    private void tell(AsyncEvent.Type type, String why) {
        String detail = why.isEmpty() ? "sending works again" : why;
        listeners.forEach(listener -> listener.accept(type, detail));
    }
}
