package io.urma4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.FragmentEth;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketText;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Carries packets, and injects faults until it is healed. */
final class Network {
    private static final int SPIKE = 10; // times the usual delay

    private final VirtualTime time;
    private final Trace trace;
    private final Digest digest;
    private final SplittableRandom random;
    private final Faults faults;
    private final List<Machine> machines = new ArrayList<>();
    private final List<Outage> cuts = new ArrayList<>();
    private final List<Outage> spikes = new ArrayList<>();
    private final List<Narrowing> narrowings = new ArrayList<>();
    private final long[][] arrived; // latest arrival by direction, so that only deliberate faults reorder packets
    private boolean healed;

    /** Sees each packet that is sent; null without a listener. */
    @Nullable
    BiConsumer<SimulatedRoute, byte[]> listener;

    long sent;
    long bundles;
    long lost;
    long repeated;
    long overtaken;
    long damaged;
    long fragments;

    /** A period in which a fault affects one direction. */
    private record Outage(int from, int to, long since, long until) {
        boolean covers(int one, int other, long now) {
            return one == from && other == to && now >= since && now < until;
        }
    }

    /** A period in which one direction takes no longer packets than that. */
    private record Narrowing(Outage when, int mostBytes) {}

    Network(VirtualTime time, Trace trace, Scenario scenario, SplittableRandom random, Digest digest) {
        this.time = time;
        this.trace = trace;
        this.digest = digest;
        this.random = random;
        this.faults = scenario.faults();
        this.arrived = new long[scenario.machines()][scenario.machines()];
        for (int i = 0; i < faults.cuts(); i++) {
            cuts.add(outage(random, scenario.machines()));
        }
        for (int i = 0; i < faults.spikes(); i++) {
            spikes.add(outage(random, scenario.machines()));
        }
        SplittableRandom other = new SplittableRandom(~scenario.seed());
        for (int i = 0; i < scenario.narrows(); i++) {
            narrowings.add(narrowing(other, scenario));
        }
    }

    /** Rather early, when most packets are sent. A packet of more than three fragments would not survive the loss. */
    private static Narrowing narrowing(SplittableRandom random, Scenario scenario) {
        long healed = scenario.faults().healedNanos();
        double early = random.nextDouble();
        long since = (long) (healed * early * early * early);
        int from = random.nextInt(scenario.machines());
        int to = (from + 1 + random.nextInt(scenario.machines() - 1)) % scenario.machines();
        int mtuBytes = scenario.longMtuBytes();
        int mostBytes = Math.max(FragmentEth.MIN_PACKET_BYTES, mtuBytes / 3 + random.nextInt(mtuBytes));
        return new Narrowing(new Outage(from, to, since, since + random.nextLong(healed)), mostBytes);
    }

    private Outage outage(SplittableRandom random, int count) {
        int from = random.nextInt(count);
        int to = (from + 1 + random.nextInt(count - 1)) % count;
        long since = random.nextLong(faults.healedNanos());
        return new Outage(from, to, since, since + random.nextLong(20 * faults.delayNanos() + 50_000_000));
    }

    void add(Machine machine) {
        machines.add(machine);
    }

    /** Ends all faults: from now on the network only carries packets. */
    void heal() {
        healed = true;
        trace.say("net", "is healed");
    }

    /** The longest time that a packet can be in flight. */
    long longestDelayNanos() {
        return 2L * SPIKE * (faults.delayNanos() + faults.jitterNanos()) + 4 * faults.delayNanos();
    }

    void send(SimulatedRoute route, Packet packet) {
        byte[] bytes = packet.bytes().segment().asSlice(0, packet.lengthBytes()).toArray(JAVA_BYTE);
        sent++;
        digest.add(time.now());
        digest.add(Arrays.hashCode(bytes));
        bundles += Bundle.is(packet) ? 1 : 0;
        if (listener != null) {
            listener.accept(route, bytes.clone());
        }
        if (trace.isOn()) {
            trace(route, packet);
        }
        fragments += packet.opcode() == Opcodes.FRAGMENT ? 1 : 0;
        if (isTooLong(route, bytes.length)) {
            lost++;
            trace.say("net", "takes no more than %d bytes, and says so", route.narrowedBytes());
            return;
        }
        if (isCut(route) || happens(faults.loss())) {
            lost++;
            trace.say("net", "loses it");
            return;
        }
        if (happens(faults.corruption())) {
            damage(bytes);
        }
        carry(route, bytes);
        if (happens(faults.duplication())) {
            repeated++;
            trace.say("net", "makes two of it");
            carry(route, bytes.clone());
        }
    }

    /** Whether the path does not take a packet of that length; the sender learns what it takes. */
    private boolean isTooLong(SimulatedRoute route, int lengthBytes) {
        if (!route.takesFragments()) {
            return false;
        }
        int most = mostBytes(route);
        if (route.narrowedBytes() != Route.NOT_NARROWED || lengthBytes > most) {
            route.narrow(most == Integer.MAX_VALUE ? Route.NOT_NARROWED : most);
        }
        return lengthBytes > most;
    }

    private int mostBytes(SimulatedRoute route) {
        return healed
                ? Integer.MAX_VALUE
                : narrowings.stream()
                        .filter(one -> one.when.covers(route.from(), route.to(), time.now()))
                        .mapToInt(Narrowing::mostBytes)
                        .min()
                        .orElse(Integer.MAX_VALUE);
    }

    private void trace(SimulatedRoute route, Packet packet) {
        String way = Machine.name(route.from()) + "→" + Machine.name(route.to());
        trace.say(way, "%s", PacketText.of(packet));
        if (Bundle.is(packet)) {
            for (Packet one : Bundle.apart(packet)) {
                trace.say(way, "  %s", PacketText.of(one));
            }
        }
    }

    /** Delivers bytes that no machine has sent, unchanged, to the end of that route. */
    void inject(SimulatedRoute route, byte[] bytes) {
        carry(route, bytes);
    }

    private boolean happens(double share) {
        return !healed && share > 0 && random.nextDouble() < share;
    }

    private boolean isCut(SimulatedRoute route) {
        return !healed && cuts.stream().anyMatch(cut -> cut.covers(route.from(), route.to(), time.now()));
    }

    /** Flips one random bit. */
    private void damage(byte[] bytes) {
        damaged++;
        int bit = random.nextInt(bytes.length * Byte.SIZE);
        bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        trace.say("net", "changes bit %d of it", bit);
    }

    private void carry(SimulatedRoute route, byte[] bytes) {
        long delay = faults.delayNanos() + (faults.jitterNanos() == 0 ? 0 : random.nextLong(faults.jitterNanos()));
        if (!healed && spikes.stream().anyMatch(one -> one.covers(route.from(), route.to(), time.now()))) {
            delay *= SPIKE;
        }
        long at = time.now() + delay;
        if (happens(faults.reordering())) {
            overtaken++;
            at += random.nextLong(3 * faults.delayNanos());
            trace.say("net", "lets others overtake it");
        } else {
            at = Math.max(at, arrived[route.from()][route.to()]);
            arrived[route.from()][route.to()] = at;
        }
        MemorySegment arriving = MemorySegment.ofArray(bytes);
        time.at(at, () -> machines.get(route.to()).arrive(route, arriving));
    }
}
