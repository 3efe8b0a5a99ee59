package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.support.IdSpace;
import io.urma4j.spi.support.PathNumbers;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.control.ConnectionEnd;
import io.urma4j.udma.control.ControlPort;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.control.PortAddress;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.staging.Stager;
import io.urma4j.udma.udp.PortException;
import io.urma4j.udma.udp.PortOptions;
import io.urma4j.udma.udp.UdpPort;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An open device, shared by the contexts of this library on it: its UDP port, its card, and the engine's thread. Open while
 * there is a context.
 */
final class Adapter implements CardListener {
    private static final int SECRET_BYTES = 32;
    private static final int MAX_24 = 0xFF_FFFF;

    private final UdpPort port;
    private final PortAddress address;
    private final EngineThread engine;
    private final EventLoop eventLoop;
    private final Stager copies = new Stager();
    private final ControlPort control;
    private final PortWatch watch;
    private final UnknownPeers unknownPeers;
    private final PeerMail mail;
    private final SecureRandom random = new SecureRandom();
    private final Map<Integer, Tagged> tagged = new ConcurrentHashMap<>();
    private final Map<Long, Invalidated> owners = new ConcurrentHashMap<>();
    private final NumberTable<CqWatcher> cqs = new NumberTable<>();
    private final NumberTable<ValueWatch> values = new NumberTable<>();
    private final Map<Integer, Runnable> silences = new ConcurrentHashMap<>();
    private final Map<Integer, Runnable> stuck = new ConcurrentHashMap<>();
    private final AtomicInteger lastTag = new AtomicInteger();
    private final ShuffledNumbers connectionNumbers =
            new ShuffledNumbers(CardCommands.FIRST_CONNECTION, MAX_24, random::nextLong);
    private final ShuffledNumbers queueIds =
            new ShuffledNumbers(IdSpace.LAST_WELL_KNOWN + 1, CardCommands.FIRST_CONNECTION - 1, random::nextLong);
    private final PathNumbers pathNumbers = new PathNumbers();
    private final AtomicInteger lastPeer = new AtomicInteger();
    private final AtomicLong lastOwner = new AtomicLong();
    private final RecentMail recentMail = new RecentMail(); // under the card's lock

    private Adapter(Eid eid, UdpPort port, CardOptions options, EngineThread engine) {
        this.port = port;
        this.address = new PortAddress(eid, port.port());
        this.engine = engine;
        this.eventLoop = EventLoop.open(port, this, options, engine, engine::nanos, copies);
        copies.start(task -> eventLoop.run(_ -> task.run()));
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        this.control = new ControlPort(address, this::sendControl, secret);
        this.watch = new PortWatch(port);
        this.unknownPeers = new UnknownPeers(port, engine, eventLoop, control, eventLoop.sink());
        this.mail = new PeerMail(engine, control::received);
        engine.add(watch);
        engine.add(unknownPeers);
        engine.add(mail);
    }

    /**
     * Opens a device.
     *
     * @throws UrmaException FAIL if its address or its port is not available
     */
    static Adapter open(String name, Eid eid, PortOptions options, CardOptions card) {
        try {
            return open(name, eid, UdpPort.open(options), card);
        } catch (PortException e) {
            throw new UrmaException(UrmaStatus.FAIL, "device " + name, String.valueOf(e.getMessage()), e);
        }
    }

    private static Adapter open(String name, Eid eid, UdpPort port, CardOptions card) {
        long start = System.nanoTime();
        EngineThread engine = null;
        try {
            engine = new EngineThread("urma-" + name + "-engine", port, () -> System.nanoTime() - start);
            Adapter adapter = new Adapter(eid, port, card, engine);
            engine.start(adapter.eventLoop);
            return adapter;
        } catch (RuntimeException | Error e) {
            if (engine != null) {
                engine.closeAlarm();
            }
            port.close();
            throw e;
        }
    }

    Eid eid() {
        return address.eid();
    }

    PortAddress address() {
        return address;
    }

    UdpPort port() {
        return port;
    }

    /** The watch over failures to send. */
    PortWatch watch() {
        return watch;
    }

    /** The known peers, and the service of unknown ones. */
    UnknownPeers unknownPeers() {
        return unknownPeers;
    }

    EngineThread engine() {
        return engine;
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    /** Copies of device memory. */
    Stager copies() {
        return copies;
    }

    /** The card; commands need the lock of the {@link #eventLoop}. */
    CardCommands card() {
        return eventLoop.card();
    }

    /** QP 1; on the engine's thread. */
    ControlPort control() {
        return control;
    }

    /** How many control datagrams were dropped as replays of recent ones. */
    long droppedAgain() {
        return recentMail.again();
    }

    SecureRandom random() {
        return random;
    }

    /** The time of the card and of the control plane. */
    long nanos() {
        return engine.nanos();
    }

    /**
     * A port as the card's commands name it, for packets that belong to no connection, or whose peer is foreign.
     *
     * @throws UrmaException EINVAL for an address that cannot be reached from here
     */
    RemotePort reachable(PortAddress to) {
        return reachable(to, RemotePort.NO_SECRET, false);
    }

    /** The port of a peer, for packets of connections with it. */
    RemotePort reachable(Peer to) {
        return reachable(to.address(), to.secret(), to.takesFragments());
    }

    private RemotePort reachable(PortAddress to, long secret, boolean takesFragments) {
        RemotePort named = new RemotePort(to.eid().high(), to.eid().low(), to.udpPort(), secret, takesFragments);
        try {
            port.route(named.eidHigh(), named.eidLow(), named.udpPort(), named.secret(), named.takesFragments());
        } catch (PortException e) {
            throw new UrmaException(UrmaStatus.EINVAL, to, String.valueOf(e.getMessage()), e);
        }
        return named;
    }

    // ---- numbers

    /** This end of a possible connection, with a unique number. On the engine's thread. */
    ConnectionEnd newHalf() {
        return new ConnectionEnd(
                eventLoop.call(card -> connectionNumbers.next(card::isTaken)),
                random.nextInt(MAX_24 + 1),
                port.roceMtuBytes());
    }

    /** On the engine's thread. */
    PathNumbers pathNumbers() {
        return pathNumbers;
    }

    int newPeerNumber() {
        return lastPeer.incrementAndGet();
    }

    /**
     * An id for a queue that no other context of the device was offered recently, and that an unknown peer cannot predict.
     */
    int nextQueueId() {
        return queueIds.next();
    }

    /** A tag by which the card identifies a queue. */
    int tag(Tagged queue) {
        int tag = lastTag.incrementAndGet();
        tagged.put(tag, queue);
        return tag;
    }

    void untag(int tag) {
        tagged.remove(tag);
    }

    /** The end of keys by a peer's message. On the engine's thread. */
    @FunctionalInterface
    interface Invalidated {
        /**
         * Some keys are revoked, as {@link CardListener#invalidated} says.
         *
         * @param peer number of the sender
         * @param whole whether those of segments that open as a whole are
         */
        void by(int peer, boolean whole);
    }

    /** A number for keys that are revoked together. */
    long newOwner(Invalidated invalidated) {
        long owner = lastOwner.incrementAndGet();
        owners.put(owner, invalidated);
        return owner;
    }

    void forgetOwner(long owner) {
        owners.remove(owner);
    }

    /** A completion queue that the card reports of by its handle. Under the card's lock: returns at once, and calls no command. */
    interface CqWatcher {
        /** The event that it was armed for. */
        void recordsArrived();

        /** There was no place for a record. */
        void overflowed();
    }

    void watchCq(int cq, CqWatcher watcher) {
        cqs.put(cq, watcher);
    }

    void unwatchCq(int cq) {
        cqs.remove(cq);
    }

    /** What the keys of a segment report to. */
    ValueWatch newValueWatch() {
        ValueWatch watch = new ValueWatch(values.take());
        values.put(watch.tag(), watch);
        return watch;
    }

    /** The segment's keys are revoked. */
    void forget(ValueWatch watch) {
        values.remove(watch.tag());
    }

    /**
     * Watches the peer of a connection. Both callbacks run on the engine's thread.
     *
     * @param isSilent runs when no packet has arrived from it for too long
     * @param isStuck runs when packets arrive, but acknowledge nothing for too long
     */
    void watchConnection(int connection, Runnable isSilent, Runnable isStuck) {
        silences.put(connection, isSilent);
        stuck.put(connection, isStuck);
    }

    void unwatchConnection(int connection) {
        silences.remove(connection);
        stuck.remove(connection);
    }

    // ---- QP 1

    /** Sends a control datagram; without buffer space it is lost. On the engine's thread. */
    private void sendControl(PortAddress to, ByteBuffer datagram) {
        eventLoop.enter();
        try {
            card().sendControl(reachable(to), datagram);
        } catch (UrmaException e) {
            // no route: like a network that loses everything
        } finally {
            eventLoop.leave();
        }
    }

    @Override
    public boolean takesControl() {
        return unknownPeers.areLookedAt() || !mail.isFull();
    }

    @Override
    public void controlArrived(ByteBuffer datagram, long eidHigh, long eidLow, long nowNanos) {
        Eid source = new Eid(eidHigh, eidLow);
        if (recentMail.hasCome(source, datagram, nowNanos)) {
            return;
        }
        if (unknownPeers.areLookedAt()) {
            unknownPeers.take(source, datagram);
        } else {
            mail.take(source, datagram);
        }
    }

    // ---- what the card tells

    private Tagged tagged(int tag) {
        return tagged.getOrDefault(tag, Tagged.CLOSED);
    }

    @Override
    public void sendQueueFailed(int tag, int status) {
        tagged(tag).failed(status);
    }

    @Override
    public void receiveQueueFailed(int tag) {
        sendQueueFailed(tag, WorkStatus.SUCCESS);
    }

    @Override
    public void recordsArrived(int cq) {
        CqWatcher watcher = cqs.get(cq);
        if (watcher != null) {
            watcher.recordsArrived();
        }
    }

    @Override
    public void valueStored(int notifyTag) {
        ValueWatch watch = values.get(notifyTag);
        if (watch != null) {
            watch.stored();
        }
    }

    @Override
    public void requestRefused(int tag, Refusal why) {
        tagged(tag).requestRefused(why);
    }

    @Override
    public void receivesLow(int tag, long left) {
        tagged(tag).receivesLow(left);
    }

    @Override
    public void cqOverflowed(int cq) {
        CqWatcher watcher = cqs.get(cq);
        if (watcher != null) {
            watcher.overflowed();
        }
    }

    @Override
    public void receiverNotReady(int tag, int target) {
        tagged(tag).receiverNotReady(target);
    }

    @Override
    public void invalidated(long keyOwner, int peer, boolean whole) {
        Invalidated told = owners.get(keyOwner);
        if (told != null) {
            engine.submit(() -> told.by(peer, whole));
        }
    }

    @Override
    public void peerSilent(int connection) {
        engine.submit(watch::doubt);
        later(silences.get(connection));
    }

    @Override
    public void peerStuck(int connection) {
        later(stuck.get(connection));
    }

    private void later(@Nullable Runnable told) {
        if (told != null) {
            engine.submit(told);
        }
    }

    /** Ends the thread and closes the port; no context is left. Not on the engine's thread. */
    void close() {
        engine.stop();
        engine.join();
        copies.close();
        port.close();
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
