package io.urma4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.ConnectionConfig;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Injects hostile packets beside a good workload, of which every work request must succeed: fifty thousand packets of
 * each kind, with {@code -Durma.full=true} a million. No exception is thrown, no byte changes, and the good workload
 * takes no more than twice its time.
 */
class HostileCardTest {
    // in several runs, since one may be long or short by luck
    private static final int INPUTS = Boolean.getBoolean("urma.full") ? 1_000_000 : 50_000;
    private static final int INPUTS_EACH_RUN = 10_000;
    private static final long MICROS = 1_000;
    private static final long EVERY_NANOS = MICROS;

    private static final int NEAR = 32;

    /** Two windows: what a requester has in flight, and what was acknowledged meanwhile. */
    private static final int FAR_PSNS = 2 * ConnectionConfig.MAX_WINDOW_PACKETS;

    private final Icrc icrc = new Icrc();
    private final Packet packet = Packet.allocate();

    /** Makes a packet, and says how long it is; null for none. */
    private interface Forger {
        byte[] forge(SplittableRandom random, SimulatedRoute route, List<byte[]> seen);
    }

    @Test
    void randomBytesMoveNothing() {
        attack("random bytes", HostileCardTest::stranger, (random, route, seen) -> noise(random));
    }

    @Test
    void randomPacketsFromAStrangerMoveNothing() {
        attack("random packets", HostileCardTest::stranger, (random, route, seen) -> wild(random, route));
    }

    @Test
    void whatAStrangerHasHeardAndSendsAgainMovesNothing() {
        attack(
                "heard packets",
                HostileCardTest::stranger,
                (random, route, seen) -> sealed(route, seen.get(random.nextInt(seen.size()))));
    }

    @Test
    void cutPacketsMoveNothing() {
        attack("cut packets", HostileCardTest::peer, (random, route, seen) -> {
            byte[] whole = seen.get(random.nextInt(seen.size()));
            return Arrays.copyOf(whole, random.nextInt(whole.length));
        });
    }

    /** Of a host that has seen the greeting, or they would be dropped at once; those of the window are {@code ForgedInsideTest}'s. */
    @Test
    void requestsWithWildPsnsInThePeersNameMoveNothing() {
        attack("PSN floods", HostileCardTest::peerWithItsSecret, (random, route, seen) -> {
            byte[] request = seen.get(random.nextInt(seen.size()));
            if (Opcodes.isResponse(request[0] & 0xFF)) {
                return noise(random);
            }
            int psn = (request[9] & 0xFF) << 16 | (request[10] & 0xFF) << 8 | request[11] & 0xFF;
            int far = psn + random.nextInt(FAR_PSNS, (1 << 24) - FAR_PSNS);
            request[9] = (byte) (far >> 16);
            request[10] = (byte) (far >> 8);
            request[11] = (byte) far;
            return sealed(route, request);
        });
    }

    /** By a process of another user, say, which has another port at the peer's address; and even the secret. */
    @Test
    void packetsOfTheWindowFromAnotherPortMoveNothing() {
        attack("packets of the window from another port", HostileCardTest::anotherPort, this::ofTheWindow);
    }

    /** From a host that forges the peer's address and port, and has not seen the greeting. */
    @Test
    void packetsOfTheWindowWithoutTheSecretMoveNothing() {
        attack("packets of the window without the secret", HostileCardTest::peer, this::ofTheWindow);
    }

    /** With the PSNs of now, or with ones near them, and with all else that the peer is just saying. */
    private byte[] ofTheWindow(SplittableRandom random, SimulatedRoute route, List<byte[]> seen) {
        byte[] heard = seen.get(random.nextInt(seen.size()));
        int psn = (heard[10] & 0xFF) << Byte.SIZE | heard[11] & 0xFF;
        int near = psn + random.nextInt(-NEAR, NEAR);
        heard[10] = (byte) (near >> Byte.SIZE);
        heard[11] = (byte) near;
        return sealed(route, heard);
    }

    private void attack(String what, UnaryOperator<SimulatedRoute> way, Forger forger) {
        long seed = Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
        int runs = INPUTS / INPUTS_EACH_RUN;
        double quiet = 0;
        double attacked = 0;
        for (int i = 0; i < runs; i++) {
            attacked += (double) run(seed + i, INPUTS_EACH_RUN, way, forger) / runs;
            quiet += (double) run(seed + i, 0, way, forger) / runs; // of the same work
        }
        System.out.printf(
                "HostileCardTest: %,d %s from seed %d on: %.1f ms of virtual time a run, %.1f ms without them%n",
                INPUTS, what, seed, attacked / 1e6, quiet / 1e6);
        assertThat(attacked).as("time with %s, seed %d", what, seed).isLessThanOrEqualTo(2 * quiet);
    }

    /** How long the workload takes. */
    private long run(long seed, int inputs, UnaryOperator<SimulatedRoute> of, Forger forger) {
        Faults none = new Faults(20 * MICROS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        Scenario scenario =
                new Scenario(3, 1024, 1024, false, false, 300, 2, 2, 0, 32, 8, 1024, 0, 0, 0, false, true, none);
        Simulation simulation = new Simulation(scenario, new SplittableRandom(seed), null);
        World world = simulation.world();
        world.hasStrangers = true;
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> seen = new ArrayList<>();
        List<SimulatedRoute> routes = new ArrayList<>();
        world.network.listener = (route, bytes) -> {
            seen.add(bytes);
            routes.add(route);
        };
        for (int i = 0; i < inputs; i++) {
            world.time.at(i * EVERY_NANOS, () -> {
                if (!seen.isEmpty()) {
                    SimulatedRoute route = routes.get(random.nextInt(routes.size()));
                    SimulatedRoute way = of.apply(route);
                    world.network.inject(way, forger.forge(random, way, recent(seen, routes, route)));
                }
            });
        }
        try {
            simulation.run();
        } catch (Violation e) {
            throw new AssertionError("with " + inputs + " inputs and seed " + seed + ": -Durma.seed=" + seed, e);
        }
        return simulation.endedNanos();
    }

    /** To the same machine, from the one that has nothing to do with it. */
    private static SimulatedRoute stranger(SimulatedRoute route) {
        return new SimulatedRoute(3 - route.from() - route.to(), route.to(), route.mtuBytes(), false);
    }

    /** The route of the machine whose packets arrive there, so that the packet appears to come from it. */
    private static SimulatedRoute peer(SimulatedRoute route) {
        return route.withSecret(IpHeaders.NO_SECRET);
    }

    private static SimulatedRoute peerWithItsSecret(SimulatedRoute route) {
        return route;
    }

    /** The same, by a process that has another port at the peer's address. */
    private static SimulatedRoute anotherPort(SimulatedRoute route) {
        return route.fromPort(40_000);
    }

    /** Copies of what went that way lately. */
    private static List<byte[]> recent(List<byte[]> seen, List<SimulatedRoute> routes, SimulatedRoute route) {
        List<byte[]> recent = new ArrayList<>();
        for (int i = seen.size() - 1; i >= 0 && recent.size() < 16; i--) {
            if (routes.get(i) == route) {
                recent.add(seen.get(i).clone());
            }
        }
        return recent;
    }

    private static byte[] noise(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(1200)];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Well-formed, with a known opcode and a right ICRC; the rest is random, but the queue number may be an existing
     * one.
     */
    private byte[] wild(SplittableRandom random, SimulatedRoute route) {
        NativeMemory bytes = packet.bytes();
        for (long at = 0; at + 8 <= bytes.lengthBytes(); at += 8) {
            bytes.setLong(at, random.nextLong());
        }
        int opcode = random.nextInt(256);
        while (!Opcodes.isKnown(opcode) || Opcodes.has(opcode, Header.DETH)) {
            opcode = random.nextInt(256);
        }
        int number = random.nextBoolean() ? 10_000 + random.nextInt(8_000) : random.nextInt(1 << 24);
        packet.begin(opcode, number, random.nextInt(1 << 24));
        return sealed(route, random.nextInt(1025));
    }

    private byte[] sealed(SimulatedRoute route, byte[] whole) {
        MemorySegment.copy(MemorySegment.ofArray(whole), 0, packet.bytes().segment(), 0, whole.length);
        packet.lengthBytes(whole.length);
        return PacketCheck.of(packet) == null ? sealed(route, packet.payloadBytes()) : whole;
    }

    private byte[] sealed(SimulatedRoute route, int payloadBytes) {
        packet.end(payloadBytes, route.headers(), icrc);
        return packet.bytes().segment().asSlice(0, packet.lengthBytes()).toArray(ValueLayout.JAVA_BYTE);
    }
}
