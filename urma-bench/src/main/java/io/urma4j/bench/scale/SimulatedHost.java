package io.urma4j.bench.scale;

import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host without sockets: a card of production, memory that peers may write to, and a port whose packets are taken by hand.
 * What a kernel would do is left out; ICRCs are made and checked.
 */
final class SimulatedHost implements Port, CardListener {
    /** What its memory is called by peers. */
    static final long VA = 1L << 40;

    private final int number;
    private final Card card;
    private final MemorySegment memory = MemorySegment.ofArray(new long[8]);
    private final int key;
    private final Map<RemotePort, Way> routes = new HashMap<>();
    private final ArrayDeque<Packet> pool;
    private final ArrayDeque<Packet> leaving = new ArrayDeque<>();
    private final ArrayDeque<Way> ways = new ArrayDeque<>(); // of those that leave
    private final Icrc icrc = new Icrc();
    private @Nullable Packet begun;
    private @Nullable Way way;

    /**
     * A host without connections.
     *
     * @param number 1 and up, its address
     * @param pool where packets are taken from and given back to, of all hosts
     */
    SimulatedHost(int number, ArrayDeque<Packet> pool) {
        this(number, pool, CardOptions.DEFAULT);
    }

    SimulatedHost(int number, ArrayDeque<Packet> pool, CardOptions options) {
        this.number = number;
        this.card = new Card(this, this::routeTo, this, options);
        this.pool = pool;
        this.key = card.registerKey(new KeyConfig(memory, VA, Memory.READ | Memory.WRITE, 0, 0, 0));
    }

    int number() {
        return number;
    }

    Card card() {
        return card;
    }

    /** Opens its memory for every peer. */
    int key() {
        return key;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Connects to a host that does the same; returns the connection. */
    int connect(SimulatedHost peer, Way there, long nowNanos) {
        RemotePort port = new RemotePort(there.eidHigh(), there.eidLow(), there.port());
        routes.put(port, there);
        return card.connect(
                CardConnectionConfig.builder(port, CardCommands.FIRST_CONNECTION + number)
                        .number(CardCommands.FIRST_CONNECTION + peer.number)
                        .peer(new PeerInfo(peer.number, peer.number, 1))
                        .build(),
                nowNanos);
    }

    private Way routeTo(RemotePort port) {
        Way known = routes.get(port);
        if (known == null) {
            throw new IllegalArgumentException("no way to " + port);
        }
        return known;
    }

    /** A packet came along a way, whose other direction is {@code back}. */
    void receive(Packet packet, Way along, Way back, long nowNanos) {
        if (PacketCheck.of(packet) != null || !icrc.isRight(packet, along.headers())) {
            throw new IllegalStateException("a packet is damaged: " + packet);
        }
        card.receive(packet, back, nowNanos);
    }

    // ---- what leaves

    /** How many packets wait to be taken. */
    int leaving() {
        return leaving.size();
    }

    Way nextWay() {
        return ways.remove();
    }

    Packet nextPacket() {
        return leaving.remove();
    }

    @Override
    public Packet begin(Route route) {
        way = (Way) route;
        Packet packet = begun != null ? begun : pool.isEmpty() ? Packet.allocate() : pool.remove();
        begun = packet;
        return packet;
    }

    @Override
    public void end(int payloadBytes) {
        Packet packet = begun;
        Way there = way;
        if (packet == null || there == null) {
            throw new IllegalStateException("no packet was begun");
        }
        packet.end(payloadBytes, there.headers(), icrc);
        leaving.add(packet);
        ways.add(there);
        begun = null;
    }

    @Override
    public boolean flush() {
        return false; // they are taken by hand
    }

    // ---- notifications of the card: none of these may happen here

    @Override
    public boolean takesControl() {
        return true;
    }

    @Override
    public void controlArrived(ByteBuffer datagram, long eidHigh, long eidLow, long nowNanos) {
        throw unexpected("a control packet");
    }

    @Override
    public void recordsArrived(int cq) {
        throw unexpected("an event that was not asked for");
    }

    @Override
    public void valueStored(int notifyTag) {
        throw unexpected("a value of a key that reports none");
    }

    @Override
    public void requestRefused(int tag, Refusal why) {
        throw unexpected("a request that was refused");
    }

    @Override
    public void sendQueueFailed(int tag, int status) {
        throw unexpected("a send queue that failed");
    }

    @Override
    public void receiveQueueFailed(int tag) {
        throw unexpected("a receive queue that failed");
    }

    @Override
    public void receivesLow(int tag, long left) {
        throw unexpected("few receives");
    }

    @Override
    public void cqOverflowed(int cq) {
        throw unexpected("a completion queue that overflowed");
    }

    @Override
    public void receiverNotReady(int tag, int target) {
        throw unexpected("a receiver that is not ready");
    }

    @Override
    public void invalidated(long keyOwner, int peer, boolean isWhole) {
        throw unexpected("an invalidated key");
    }

    @Override
    public void peerSilent(int connection) {
        throw unexpected("a silent peer");
    }

    @Override
    public void peerStuck(int connection) {
        throw unexpected("a stuck peer");
    }

    private IllegalStateException unexpected(String what) {
        return new IllegalStateException("host " + number + " has " + what);
    }
}
