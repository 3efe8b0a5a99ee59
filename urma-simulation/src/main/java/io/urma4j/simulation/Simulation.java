package io.urma4j.simulation;

import io.urma4j.udma.command.SendQueueConfig.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of some machines and a network, drawn from a seed. The workload is posted while the network injects faults;
 * then the network is healed, and every operation must end.
 */
public final class Simulation {
    private static final long PATIENCE_NANOS = 120_000_000_000L; // after healing; a timeout is 15 s
    private static final long MOST_EVENTS = 5_000_000;
    private static final long SLOWEST_READ_NANOS = 1_000_000_000L; // of an abandoned one, from slow memory

    private final Scenario scenario;
    private final VirtualTime time = new VirtualTime();
    private final Trace trace;
    private final SplittableRandom random;
    private final World world;
    private final Workload workload;
    private final List<SendSide> all = new ArrayList<>();
    private final List<Life> lives = new ArrayList<>();

    private long endedNanos;

    private Simulation(SplittableRandom random, boolean predicts, @Nullable Consumer<String> lines) {
        this(Scenario.drawn(random), random, predicts, lines);
    }

    /** A run of an explicit scenario, with header prediction. */
    Simulation(Scenario scenario, SplittableRandom random, @Nullable Consumer<String> lines) {
        this(scenario, random, true, lines);
    }

    private Simulation(Scenario scenario, SplittableRandom random, boolean predicts, @Nullable Consumer<String> lines) {
        this.random = random;
        this.scenario = scenario;
        trace = new Trace(lines, time);
        world = new World(scenario, time, trace, random.split(), predicts);
        workload = new Workload(world);
    }

    /**
     * Runs a seed twice, with header prediction and without, and compares all packets, records, counters and bytes.
     *
     * @return of the run with prediction
     * @throws Violation when a rule is broken, or when the two runs differ
     */
    public static Report compare(long seed) {
        Report predicted = run(seed, null);
        Report unpredicted = run(seed, false, null);
        if (!predicted.isSameAs(unpredicted)) {
            throw Violation.of("header prediction changes the run: %s, without it %s", predicted, unpredicted);
        }
        return predicted;
    }

    /** Runs a seed to its end, with header prediction. */
    public static Report run(long seed, @Nullable Consumer<String> trace) {
        return run(seed, true, trace);
    }

    /**
     * Runs a seed to its end.
     *
     * @param predicts whether connections use header prediction
     * @param trace takes a line for each event; null for none
     * @throws Violation when a rule is broken
     */
    public static Report run(long seed, boolean predicts, @Nullable Consumer<String> trace) {
        Simulation simulation = new Simulation(new SplittableRandom(seed), predicts, trace);
        simulation.trace.say("seed", "%d: %s", seed, simulation.scenario);
        try {
            return simulation.run();
        } catch (Violation e) {
            simulation.trace.say("seed", "%s", e);
            throw e;
        } catch (RuntimeException | AssertionError e) {
            simulation.trace.say("seed", "%s", e);
            throw Violation.of(e);
        }
    }

    /** The choices of a seed, as text. */
    public static String describe(long seed) {
        return Scenario.drawn(new SplittableRandom(seed)).toString();
    }

    World world() {
        return world;
    }

    /** When the last work request had its result. */
    long endedNanos() {
        return endedNanos;
    }

    Report run() {
        build();
        plan();
        while (!isOver()) {
            if (!time.next()) {
                throw new Violation("nothing is going to happen any more, but not all has ended: " + open());
            }
            if (time.now() > scenario.faults().healedNanos() + PATIENCE_NANOS || time.happened() > MOST_EVENTS) {
                throw Violation.of(
                        "after %.0f s and %d events there is still %s", time.now() / 1e9, time.happened(), open());
            }
        }
        settle();
        check();
        return Report.of(world, totals(), time.now(), time.happened());
    }

    // ---- the machines and their connections

    private void build() {
        for (int i = 0; i < scenario.machines(); i++) {
            Machine machine = new Machine(world, i);
            world.machines.add(machine);
            world.network.add(machine);
        }
        world.machines.forEach(machine -> furnish(machine.life));
        for (int i = 0; i < scenario.connectedPairs(); i++) {
            int one = random.nextInt(scenario.machines());
            int other = (one + 1 + random.nextInt(scenario.machines() - 1)) % scenario.machines();
            new Pair(
                    world,
                    connected(world.machines.get(one).life),
                    connected(world.machines.get(other).life),
                    i < scenario.foreignPairs());
        }
        if (scenario.sharedQueues() > 0) {
            for (int i = 0; i < scenario.machines(); i++) {
                for (int j = 0; j < i; j++) {
                    new Link(world, world.machines.get(i).life, world.machines.get(j).life);
                }
            }
        }
    }

    /** Creates the queues that need no connection of their own. */
    private void furnish(Life life) {
        lives.add(life);
        if (scenario.sharedQueues() > 0) {
            new ReceiveSide(life, false, false);
            new ReceiveSide(life, false, false);
        }
        if (scenario.datagramQueues() > 0) {
            new ReceiveSide(life, true, false);
        }
        for (int i = 0; i < scenario.sharedQueues(); i++) {
            start(new SendSide(life, Kind.RM, null));
        }
        for (int i = 0; i < scenario.datagramQueues(); i++) {
            start(new SendSide(life, Kind.UM, null));
        }
    }

    private SendSide connected(Life life) {
        SendSide side = new SendSide(life, Kind.RC, new ReceiveSide(life, false, true));
        start(side);
        return side;
    }

    private void start(SendSide side) {
        all.add(side);
        time.after(random.nextLong(20_000), () -> workload.drive(side));
    }

    // ---- the faults of the machines

    private void plan() {
        Faults faults = scenario.faults();
        for (int i = 0; i < faults.pauses(); i++) {
            Machine machine = any();
            long length = 1 + random.nextLong(20 * faults.delayNanos() + 50_000_000);
            time.at(random.nextLong(faults.healedNanos()), () -> machine.pause(length));
        }
        for (int i = 0; i < faults.restarts(); i++) {
            Machine machine = any();
            time.at(random.nextLong(faults.healedNanos()), () -> restart(machine));
        }
        for (int i = 0; i < faults.revocations(); i++) {
            Machine machine = any();
            time.at(random.nextLong(faults.healedNanos() / 4), () -> revoke(machine));
        }
        time.at(faults.healedNanos(), world.network::heal);
        endSilence();
    }

    private Machine any() {
        return world.machines.get(random.nextInt(world.machines.size()));
    }

    private void revoke(Machine machine) {
        List<Window> windows = machine.life.home.windows.stream()
                .filter(window -> !window.revoked)
                .toList();
        if (windows.isEmpty() || machine.isPaused()) {
            return;
        }
        Window window = windows.get(random.nextInt(windows.size()));
        trace.say(machine.toString(), "revokes %s", window);
        if (!machine.life.card.revokeKey(window.key)) {
            throw Violation.of("%s could not be revoked", window);
        }
        window.becomesSecret();
        machine.life.arm(0);
    }

    private void restart(Machine machine) {
        Life dead = machine.life;
        Life heir = machine.restart();
        furnish(heir);
        for (SendSide side : dead.sends) {
            if (side.pair != null) {
                Pair pair = side.pair;
                SendSide next = connected(heir);
                learn(pair.peerOf(side).life, () -> pair.lost(side, next));
            }
        }
        for (Machine other : world.machines) {
            Link link = dead.links.get(other.index);
            if (link != null && other != machine) {
                learn(other.life, () -> link.lost(dead));
            }
        }
    }

    /** A peer learns of a restart after a while, as soon as it is not paused. */
    private void learn(Life peer, Runnable lost) {
        time.after(1_000_000 + random.nextLong(100_000_000), () -> {
            if (peer.machine.isPaused()) {
                learn(peer, lost);
            } else if (!peer.isDead) {
                lost.run();
            }
        });
    }

    /** Now and then requests a record from queues whose last work requests are unsignalled. */
    private void endSilence() {
        for (SendSide side : all) {
            if (side.quota == 0 && !side.life.isDead && !side.life.machine.isPaused()) {
                side.endSilence();
            }
        }
        time.after(50_000_000, this::endSilence);
    }

    // ---- the end

    private boolean isOver() {
        if (time.now() < scenario.faults().healedNanos()) {
            return false; // faults are still to come
        }
        for (SendSide side : all) {
            if (!side.isFinished()) {
                return false;
            }
        }
        return true;
    }

    /** Packets still in flight arrive, and must change nothing. */
    private void settle() {
        endedNanos = time.now();
        trace.say("seed", "all has ended");
        long until = Math.max(time.now(), scenario.faults().healedNanos())
                + 2 * world.network.longestDelayNanos()
                + (scenario.slowHomes() > 0 ? SLOWEST_READ_NANOS : 50_000_000);
        boolean[] over = {false};
        time.at(until, () -> over[0] = true);
        while (!over[0] && time.next()) {
            if (time.happened() > MOST_EVENTS) {
                throw new Violation("all has ended, but there is no end of packets");
            }
        }
    }

    private void check() {
        for (Life life : lives) {
            if (!life.isDead) {
                life.checkAll();
            }
        }
        world.operations().forEach(Results::checkSource);
    }

    private ConnectionTotals totals() {
        List<Life> living = lives.stream().filter(life -> !life.isDead).toList();
        for (Life life : living) {
            life.home.addTo(world.digest);
            life.local.addTo(world.digest);
        }
        return ConnectionTotals.of(living, world.digest);
    }

    private String open() {
        StringBuilder open = new StringBuilder();
        for (SendSide side : all) {
            if (!side.isFinished()) {
                open.append(open.isEmpty() ? "" : " | ").append(side.openOnes());
            }
        }
        return open.toString();
    }
}
