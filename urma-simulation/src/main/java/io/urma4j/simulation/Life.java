package io.urma4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.device.CopyWaiter;
import io.urma4j.udma.device.DeviceKeys;
import io.urma4j.udma.transport.ConnectionConfig;
import io.urma4j.udma.transport.FlushHint;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import io.urma4j.udma.wire.PathMtu;
import io.urma4j.udma.wire.Reassembly;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A process on a machine, from its start to its end: it has a card and memory, and acts as the driver. */
final class Life implements CardListener {
    private static final FlushHint[] LEAVES = FlushHint.values();
    private static final long LEAST_STEP_NANOS = 200; // duration of a step of the card
    private static final int MOST_STEPS_AT_ONCE = 2_000;
    private static final byte LEFT_BEHIND = 0x5A;
    private static final long MAY_BE_STUCK_NANOS = 5_000_000_000L; // after the network is healed

    final World world;
    final Machine machine;
    final int number;
    final Card card;
    final HomeMemory home;
    final LocalMemory local;
    final CompletionReader completions;
    final List<SendSide> sends = new ArrayList<>();
    final List<ReceiveSide> receives = new ArrayList<>();
    final Map<Integer, Link> links = new HashMap<>(); // by the other machine
    final List<Integer> connections = new ArrayList<>(); // all that it has opened
    boolean isDead;

    private record Watched(int machine, InFlightCheck check) {}

    private final Map<Integer, Watched> watched = new HashMap<>(); // by our number of the connection
    private final Map<Integer, InFlightCheck> watchedTo = new HashMap<>(); // by the peer's
    private final Map<Integer, Reassembly> leaving = new HashMap<>(); // by the peer's number
    private final Map<Integer, Reassembly> arriving = new HashMap<>(); // by ours
    private final SimulatedPort port;
    private final Packet received;
    private final Icrc icrc = new Icrc();
    private final Map<Integer, SimulatedRoute> routes = new HashMap<>();
    private final Map<Life, SimulatedRoute> routesToPeers = new HashMap<>();
    private final Map<RemotePort, SimulatedRoute> routesToPorts = new HashMap<>();
    private @Nullable SlowHome slowHome;
    private long armed = Long.MAX_VALUE;
    private long steppedAt;
    private int stepsAtOnce;
    private int polls;

    Life(World world, Machine machine, int lives) {
        this.world = world;
        this.machine = machine;
        this.number = lives;
        int burst = 1 << (3 + world.random.nextInt(6));
        this.port = new SimulatedPort(
                world.network, this::leaves, world.time, burst, 10_000, world.scenario.longMtuBytes());
        this.received =
                Packet.allocate(Math.max(PathMtu.LARGEST_OF_ROCE, world.scenario.longMtuBytes())); // also forged ones
        CardOptions options = CardOptions.DEFAULT.withPrediction(world.predicts);
        this.card = new Card(port, this::routeTo, this, options, this::late);
        long vaBase = (world.random.nextLong(1L << 35) << 12) + (1L << 40);
        this.home = new HomeMemory(card, vaBase, 1_000_000_000 + 100 * machine.index + lives);
        this.local = new LocalMemory(card);
        this.completions = new CompletionReader(this);
        home.makeWords(this);
    }

    /** The memory of its home, which answers later on some machines. */
    private Memory late(DeviceKeys keys, IntFunction<CopyWaiter> connections) {
        if (machine.index >= world.scenario.slowHomes()) {
            return keys;
        }
        slowHome =
                new SlowHome(this, keys, connections, new SplittableRandom(mixed(identity()) ^ world.scenario.seed()));
        return slowHome;
    }

    /** At the end of a run. */
    void checkAll() {
        home.checkAll(this);
        if (slowHome != null) {
            slowHome.checkAll();
        }
    }

    SimulatedRoute routeTo(int other) {
        return routes.computeIfAbsent(
                other,
                to -> new SimulatedRoute(machine.index, to, world.scenario.longMtuBytes(), world.scenario.ipv6()));
    }

    /** The route of connections to another urma4j process, as if the two had exchanged greetings. */
    SimulatedRoute routeTo(Life peer) {
        return routesToPeers.computeIfAbsent(
                peer, to -> routeTo(to.machine.index).withSecret(secretWith(to)));
    }

    /** The port that a route leads to, as commands of the card name it. */
    RemotePort portOf(SimulatedRoute route) {
        RemotePort port = new RemotePort(route.eidHigh(), route.eidLow(), route.port(), route.secret(), true);
        routesToPorts.put(port, route);
        return port;
    }

    private SimulatedRoute routeTo(RemotePort port) {
        SimulatedRoute route = routesToPorts.get(port);
        if (route == null) {
            throw new IllegalArgumentException("no command names " + port);
        }
        return route;
    }

    /** The secret of the two processes: unique for each pair, and computed, so that it needs no random draw. */
    private long secretWith(Life peer) {
        return mixed(identity()) ^ mixed(peer.identity());
    }

    private long identity() {
        return (long) machine.index << Integer.SIZE | number;
    }

    private static long mixed(long identity) {
        long mixed = (identity + 1) * 0x9E37_79B9_7F4A_7C15L;
        return (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
    }

    // ---- what is in flight

    /** From now on, checks the packets that this process sends on the connection. */
    void watch(int number, Life peer, int peerNumber, int firstPsn, boolean isShared, boolean isForeign) {
        Scenario scenario = world.scenario;
        int most = isForeign ? ConnectionConfig.FOREIGN_WINDOW_PACKETS : scenario.windowPackets();
        InFlightCheck check = new InFlightCheck(
                String.format("%s, connection 0x%06x to %s,", this, number, peer),
                isShared,
                isForeign,
                isForeign ? scenario.mtuBytes() : scenario.longMtuBytes(),
                Math.min(most, scenario.windowPackets()),
                firstPsn);
        watched.put(number, new Watched(peer.machine.index, check));
        watchedTo.put(peerNumber, check);
    }

    private void leaves(Packet packet) {
        Packet whole = whole(packet, leaving);
        if (whole == null) {
            return;
        }
        for (Packet one : Bundle.apart(whole)) {
            InFlightCheck check = watchedTo.get(one.connectionNumber());
            if (check != null) {
                check.sent(one, world.time.now());
            }
        }
    }

    private void arrives(SimulatedRoute route) {
        boolean isFragment = received.opcode() == Opcodes.FRAGMENT;
        Packet whole = isFragment && watchedFrom(route, received) == null ? null : whole(received, arriving);
        if (whole == null) {
            return;
        }
        for (Packet one : Bundle.apart(whole)) {
            Watched from = watchedFrom(route, one);
            if (from != null) {
                from.check.arrives(one, world.time.now());
            }
        }
    }

    /** What is in flight on the connection of a packet, if that route is the peer's. */
    private @Nullable Watched watchedFrom(SimulatedRoute route, Packet packet) {
        Watched one = watched.get(packet.connectionNumber());
        boolean isOfPeer =
                one != null && one.machine == route.from() && route.source().port() == IpHeaders.ROCE_PORT;
        return isOfPeer ? one : null;
    }

    /** What a fragment completes, as the card does it; null if others are missing. Any other packet itself. */
    private @Nullable Packet whole(Packet packet, Map<Integer, Reassembly> incomplete) {
        return packet.opcode() != Opcodes.FRAGMENT
                ? packet
                : incomplete
                        .computeIfAbsent(
                                packet.connectionNumber(),
                                _ -> new Reassembly(Math.max(PathMtu.LARGEST_OF_ROCE, world.scenario.longMtuBytes())))
                        .add(packet, world.time.now());
    }

    // ---- driving the card

    void receive(MemorySegment bytes, SimulatedRoute route) {
        MemorySegment.copy(bytes, 0, received.bytes().segment(), 0, bytes.byteSize());
        received.lengthBytes((int) bytes.byteSize());
        Drop drop = PacketCheck.of(received);
        SimulatedRoute proven = drop == null ? route.withSecret(card.secretOf(received, route.source())) : route;
        if (drop == null && !icrc.isRight(received, proven.headers())) {
            drop = Drop.ICRC;
        }
        if (drop != null) {
            world.trace.say(machine.toString(), "drops what is damaged: %s", drop);
            return;
        }
        arrives(route);
        card.receive(received, proven.source(), world.time.now());
        received.bytes()
                .segment()
                .asSlice(0, bytes.byteSize())
                .fill(LEFT_BEHIND); // the card must not read the packet later
        home.checkBorders(this);
    }

    /** One step of the card, unless the machine is paused or the process has ended. */
    void step() {
        if (isDead || machine.isPaused()) {
            return;
        }
        countSteps();
        long next = card.step(world.time.now(), leave());
        completions.read();
        for (SendSide side : sends) {
            side.afterStep();
        }
        long room = port.roomAt();
        arm(card.hasWork() && room == Long.MAX_VALUE ? 0 : Math.min(next, room));
    }

    /** Every second machine has a thread that polls all the time. */
    private FlushHint leave() {
        return (machine.index & 1) == 1 ? LEAVES[polls++ % LEAVES.length] : FlushHint.FLUSH;
    }

    /** A step at that time, or a little later. */
    void arm(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            return;
        }
        long at = Math.max(nanos, world.time.now() + LEAST_STEP_NANOS);
        if (at < armed) {
            armed = at;
            world.time.at(at, () -> {
                if (armed == at) {
                    armed = Long.MAX_VALUE;
                    stepAfterPause();
                }
            });
        }
    }

    private void stepAfterPause() {
        if (machine.isPaused()) {
            arm(machine.pausedUntil() + 1);
        } else {
            step();
        }
    }

    private void countSteps() {
        if (world.time.now() - steppedAt > 1_000_000) {
            steppedAt = world.time.now();
            stepsAtOnce = 0;
        }
        if (++stepsAtOnce > MOST_STEPS_AT_ONCE) {
            throw Violation.of("%s wants to be stepped again and again: %d times in a millisecond", this, stepsAtOnce);
        }
    }

    // ---- notifications of the card

    @Override
    public boolean takesControl() {
        return true;
    }

    @Override
    public void controlArrived(ByteBuffer datagram, long eidHigh, long eidLow, long nowNanos) {
        if (!world.hasStrangers) {
            throw Violation.of("%s: a control packet that no machine has sent", this);
        }
    }

    @Override
    public void recordsArrived(int cq) {
        throw Violation.of("%s: an event of CQ %d, which was not armed", this, cq);
    }

    @Override
    public void valueStored(int notifyTag) {
        throw Violation.of("%s: a value for %d, of which no key reports any", this, notifyTag);
    }

    @Override
    public void requestRefused(int tag, Refusal why) {
        world.trace.say(machine.toString(), "learns that a request to %s was refused", sends.get(tag));
    }

    @Override
    public void sendQueueFailed(int tag, int status) {
        world.trace.say(machine.toString(), "learns that %s has failed", sends.get(tag));
        sends.get(tag).hasFailed();
    }

    @Override
    public void receiveQueueFailed(int tag) {
        throw Violation.of("%s: %s has failed, and its CQ has room", this, receives.get(tag));
    }

    @Override
    public void receivesLow(int tag, long left) {}

    @Override
    public void cqOverflowed(int cq) {
        throw Violation.of("%s: CQ %d has overflowed, and has room", this, cq);
    }

    @Override
    public void receiverNotReady(int tag, int target) {
        world.trace.say(machine.toString(), "%s waits for its receiver", sends.get(tag));
    }

    @Override
    public void invalidated(long keyOwner, int peer, boolean whole) {
        world.trace.say(machine.toString(), "learns that the keys of %d were invalidated", keyOwner);
    }

    @Override
    public void peerSilent(int connection) {
        world.trace.say(machine.toString(), "learns that connection %d is silent", connection);
        if (world.scenario.harmless()) {
            throw Violation.of("%s: the peer of connection %d counts as silent", this, connection);
        }
    }

    @Override
    public void peerStuck(int connection) {
        world.trace.say(machine.toString(), "learns that connection %d makes no progress", connection);
        long soundNanos = world.time.now() - world.scenario.faults().healedNanos();
        if (world.scenario.harmless() || soundNanos > MAY_BE_STUCK_NANOS) {
            throw Violation.of("%s: the peer of connection %d is heard, but acknowledges nothing", this, connection);
        }
    }

    @Nullable
    Link linkTo(Life other) {
        Link link = links.get(other.machine.index);
        return link != null && link.joins(this, other) ? link : null;
    }

    static void wipe(MemorySegment memory, long offset, long lengthBytes) {
        for (long i = 0; i < lengthBytes; i++) {
            memory.set(JAVA_BYTE, offset + i, (byte) 0);
        }
    }

    @Override
    public String toString() {
        return number == 0 ? machine.toString() : machine.toString() + "'" + number;
    }
}
