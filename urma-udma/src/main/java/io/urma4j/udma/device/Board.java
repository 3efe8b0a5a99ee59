package io.urma4j.udma.device;

import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Port;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The shared state of a card's parts. */
final class Board {
    final WatchedPort port;
    final CardListener listener;
    final KeyTable keys;
    final Datagrams datagrams;
    final Deadlines deadlines = new Deadlines();
    final Handles<CompletionQueue> cqs = new Handles<>();
    final Handles<Target> targets = new Handles<>();
    final Handles<CardConnection> links = new Handles<>();

    /** The time of the current call. */
    long nowNanos;

    /** Whether packets being received may have waited in this host. */
    boolean isLate;

    /** What connections may leave for the next step. */
    FlushHint hint = FlushHint.FLUSH;

    private int armed; // completion queues
    private volatile boolean isAnyArmed; // read by any thread

    private final ArrayDeque<SendQueue> readyQueues = new ArrayDeque<>();
    private final ArrayDeque<CardConnection> readyLinks = new ArrayDeque<>();
    private final List<CardConnection> leaving = new ArrayList<>();
    private final List<SendQueue> awaitingPort = new ArrayList<>();
    private final List<SendQueue> awaitingRecords = new ArrayList<>();

    Board(Port port, CardListener listener, Registry registry, int maxKeys) {
        this.port = new WatchedPort(new BundlingPort(port));
        this.listener = listener;
        this.datagrams = new Datagrams(this.port, registry);
        this.keys = new KeyTable(registry, listener, maxKeys);
    }

    /** The queue has work: it is appended to the ready list. */
    void ready(SendQueue queue) {
        if (!queue.inLine) {
            queue.inLine = true;
            readyQueues.addLast(queue);
        }
    }

    /** The connection may have something to send. */
    void ready(CardConnection link) {
        if (!link.inLine) {
            link.inLine = true;
            readyLinks.addLast(link);
        }
    }

    /** The queue becomes ready when the port has space again. */
    void awaitPort(SendQueue queue) {
        awaitingPort.add(queue);
    }

    /** The queue becomes ready when its completion queue may have space again. */
    void awaitRecords(SendQueue queue) {
        if (!awaitingRecords.contains(queue)) {
            awaitingRecords.add(queue);
        }
    }

    /** The connection has left something for the next step. */
    void left(CardConnection link) {
        if (!leaving.contains(link)) {
            leaving.add(link);
        }
    }

    boolean hasLeft() {
        return !leaving.isEmpty();
    }

    /** Changes the number of armed completion queues. */
    void armed(int more) {
        armed += more;
        isAnyArmed = armed > 0;
    }

    /** Whether a thread waits for an event. Any thread. */
    boolean isAnyArmed() {
        return isAnyArmed;
    }

    boolean hasReady() {
        return !readyQueues.isEmpty() || !readyLinks.isEmpty();
    }

    /** A step begins: queues that wait for received packets become ready. */
    void beginTurn() {
        port.clear();
        wake(awaitingPort);
        wake(awaitingRecords);
        for (int i = 0; i < leaving.size(); i++) {
            ready(leaving.get(i));
        }
        leaving.clear();
    }

    private void wake(List<SendQueue> waiting) {
        if (!waiting.isEmpty()) {
            waiting.forEach(this::ready);
            waiting.clear();
        }
    }

    /** Runs every queue and every connection on the ready list once. */
    void runReady() {
        for (int i = readyQueues.size(); i > 0; i--) {
            SendQueue queue = readyQueues.removeFirst();
            queue.inLine = false;
            queue.run(nowNanos);
        }
        for (int i = readyLinks.size(); i > 0; i--) {
            CardConnection link = readyLinks.removeFirst();
            link.inLine = false;
            if (link.step(nowNanos)) {
                ready(link);
            }
        }
    }

    /** The queue is closed. */
    void forget(SendQueue queue) {
        readyQueues.remove(queue);
        awaitingPort.remove(queue);
        awaitingRecords.remove(queue);
        for (int handle = 1; handle < links.end(); handle++) {
            CardConnection link = links.find(handle);
            if (link != null) {
                link.forget(queue);
            }
        }
    }

    /** The connection is closed. */
    void forget(CardConnection link) {
        readyLinks.remove(link);
        leaving.remove(link);
        deadlines.cancel(link);
    }
}
