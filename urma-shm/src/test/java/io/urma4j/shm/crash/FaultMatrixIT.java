package io.urma4j.shm.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.ContextOptions;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.shm.crash.FaultPoint.Role;
import io.urma4j.shm.crash.Victim.Fault;
import io.urma4j.tck.DriverProcess;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Rule;
import io.urma4j.tck.Seed;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Home, initiator or both are killed, or stopped for a while, at each step of import, bind, send, write, revoke and close
 * ({@link FaultPoint}). A surviving process has a result for each of its work requests, finds no byte wrong, and leaks
 * nothing. A stopped process continues as if it had not been stopped.
 *
 * <p>{@code -Durma.full=true} does so 300 times, {@code -Durma.inputs=N} N times, {@code -Durma.seed=…} repeats
 * the choices of a run.
 */
class FaultMatrixIT {
    private static final boolean FULL = Boolean.getBoolean("urma.full");

    /** How many faults the test injects, one at each point at least; a run whose process does not reach its fault point is not counted. */
    private static final int HITS = Integer.getInteger("urma.inputs", FULL ? 300 : FaultPoint.values().length);

    /** A stop costs little; each kill costs the start of a JVM. */
    private static final int KILLS_IN_TEN = FULL ? 5 : 3;

    /**
     * One in this number of stops exceeds the timeouts of {@link Trouble}'s queues and imports: a peer that is not
     * dead.
     */
    private static final int STOPS_TO_A_LONG_ONE = FULL ? 25 : 12;

    private static final Duration LONG_STOP = CrashIT.DEADLINE.plusSeconds(1);

    private static final int SHORT_STOP_MILLIS = 200;

    /** A home that is in use arms its fault a moment after it has received the command. */
    private static final Duration ARMED_FIRST = Duration.ofMillis(150);

    /** One in this number of runs hits both ends. */
    private static final int RUNS_TO_ONE_OF_BOTH = 6;

    /**
     * How often a run is tried. If the point is not reached the drawn number of times, later tries hit at its first.
     */
    private static final int TRIES = 12;

    /** Of these, so often with both ends: in a round of all points one alone may be such that kills both. */
    private static final int TRIES_OF_BOTH = 3;

    /** Longer than any timeout of the ends that meet. */
    private static final Duration STANDSTILL = Duration.ofSeconds(10);

    /** Shorter than these. */
    private static final Duration SHORT_PAUSE = Duration.ofSeconds(1);

    /** The timeout to reach a point; the second if the other end is gone already. */
    private static final Duration REACHED = Duration.ofSeconds(2);

    private static final Duration REACHED_ALONE = Duration.ofMillis(300);

    /** The timeout of the whole test: a slower run fails, because it has not shown what is claimed. */
    private static final Duration LIMIT = Duration.ofSeconds(8L * Math.max(HITS, 50));

    private static final long NEVER_MICROS = 600_000_000;

    private final SplittableRandom random = Seed.randomFor("fault matrix");
    private final Tally tally = new Tally();
    private Path directory;
    private Path runtime;
    private Urma urma;
    private UrmaContext context;
    private VictimPool pool;

    /** What was done, for the summary. */
    private static final class Tally {
        final Map<FaultPoint, Integer> killed = new EnumMap<>(FaultPoint.class);
        final Map<FaultPoint, Integer> stopped = new EnumMap<>(FaultPoint.class);
        final Map<FaultPoint, Integer> missed = new EnumMap<>(FaultPoint.class);
        int stops;
        int longStops;
        int bothKilled;
        int bothStopped;

        int hits(FaultPoint point) {
            return killed.getOrDefault(point, 0) + stopped.getOrDefault(point, 0);
        }

        void hit(FaultPoint point, Fault fault) {
            (fault == Fault.KILL ? killed : stopped).merge(point, 1, Integer::sum);
        }

        void missed(FaultPoint point) {
            missed.merge(point, 1, Integer::sum);
        }

        void both(Fault fault) {
            if (fault == Fault.KILL) {
                bothKilled++;
            } else {
                bothStopped++;
            }
        }

        int both() {
            return bothKilled + bothStopped;
        }

        private static int sum(Map<FaultPoint, Integer> counts) {
            return counts.values().stream().mapToInt(Integer::intValue).sum();
        }

        @Override
        public String toString() {
            return sum(killed) + " killed and " + sum(stopped) + " stopped at a point, " + longStops
                    + " of them beyond "
                    + "the timeouts; both ends " + bothKilled + " times killed and " + bothStopped
                    + " times stopped; "
                    + sum(missed) + " did not come by " + missed + "; killed " + killed
                    + ", stopped " + stopped;
        }
    }

    @BeforeEach
    void open() throws IOException {
        directory = Files.createTempDirectory("urma-faults-");
        Path classes = directory.resolve("classes");
        FaultPoint.writeClasses(classes);
        runtime = directory.resolve("runtime");
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime));
        context = urma.device("shm0")
                .openContext(
                        0,
                        ContextOptions.DEFAULT
                                .withImportTimeout(CrashIT.DEADLINE)
                                .withCloseTimeout(CrashIT.DEADLINE));
        pool = new VictimPool(classes + File.pathSeparator + System.getProperty("java.class.path"), runtime);
    }

    @AfterEach
    void close() throws IOException {
        pool.close();
        urma.close();
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** S12.3, S12.4, S6.8, S7.9: at every step. The points take turns, so that none is left out by chance. */
    @Rule({"S12.3", "S12.4", "S6.8", "S7.9"})
    @Test
    @Timeout(8000)
    void whoLivesOnHasAllItsResultsWhereverTheOthersWereHit() throws Exception {
        System.out.println("FaultMatrixIT: " + HITS + " hits wanted; seed " + Seed.OF_RUN);
        ProcessLeaks before = null;
        List<FaultPoint> points = List.of(FaultPoint.values());
        int first = random.nextInt(points.size());
        long end = System.nanoTime() + LIMIT.toNanos();
        for (int run = 0; run < HITS; run++) {
            hitOnce(run, first + run, points.get((first + run) % points.size()), end);
            if (run == 0) {
                pool.retire();
                Patience.until(Duration.ofMillis(500), () -> false); // its end is noticed
                before = ProcessLeaks.count(); // what is made once is there from now on
            } else if (run % 100 == 0) {
                System.out.println("FaultMatrixIT: " + run + " of " + HITS + ": " + tally);
            }
        }
        pool.retire();
        ProcessLeaks expected = before;
        Patience.until(CrashIT.DEADLINE, () -> ProcessLeaks.count().equals(expected));
        assertThat(ProcessLeaks.count()).as(Seed.replayLine()).isEqualTo(expected);
        System.out.println("FaultMatrixIT: " + HITS + " runs with a hit, " + tally + "; seed " + Seed.OF_RUN);
        assertEachPointHadItsTurn();
    }

    /** Neighbours in number have different faults, and a point has another one in the next rounds. */
    private static Fault faultOf(int number) {
        return number * 3 % 10 < KILLS_IN_TEN ? Fault.KILL : Fault.STOP;
    }

    /**
     * Tries until a process was hit at the point. A run that did not reach it must end cleanly, too, but proves
     * nothing.
     */
    private void hitOnce(int run, int number, FaultPoint point, long end) throws Exception {
        Fault fault = faultOf(number);
        int bothBefore = tally.both();
        for (int attempt = 0; attempt < TRIES; attempt++) {
            assertThat(System.nanoTime() - end)
                    .as("only %d of %d hits within %s, %s; %s", run, HITS, LIMIT, Seed.replayLine(), tally)
                    .isNegative();
            String name = "table-" + run + "-" + attempt;
            boolean both = attempt < TRIES_OF_BOTH
                    && tally.both() == bothBefore
                    && !point.isClose()
                    && number % RUNS_TO_ONE_OF_BOTH == RUNS_TO_ONE_OF_BOTH - 1;
            Blow blow = attempt == 0 ? drawn(name, point, fault) : easy(name, point, fault);
            int hits = tally.hits(point);
            List<String> wrongs = both ? strikeBoth(name, point, fault) : strike(blow);
            assertThat(wrongs)
                    .as(
                            "run %d, %s, both ends: %s, %s; of this process %s",
                            run, blow, both, Seed.replayLine(), EngineStacks.ofThisProcess())
                    .isEmpty();
            if (tally.hits(point) > hits) {
                return;
            }
        }
        throw new AssertionError(point + " was not passed in " + TRIES + " tries, run " + run + " of " + HITS + ", "
                + Seed.replayLine() + "; " + tally);
    }

    private Blow drawn(String name, FaultPoint point, Fault fault) {
        return new Blow(name, point, fault, 1 + random.nextInt(point.times()), random.nextInt(200, 20_000), REACHED);
    }

    /**
     * Hits at the first pass of the point, and revokes less often: a segment in constant revocation is seldom released.
     */
    private static Blow easy(String name, FaultPoint point, Fault fault) {
        long revokeEveryMicros = point.name().startsWith("REVOCATION_") ? 2_000 : 100_000;
        return new Blow(name, point, fault, 1, revokeEveryMicros, REACHED.multipliedBy(3));
    }

    private void assertEachPointHadItsTurn() {
        if (HITS >= 50) { // then both kinds of fault have had their turn at each end, and at both at once
            assertThat(tally.bothKilled)
                    .as("both killed, %s", Seed.replayLine())
                    .isPositive();
            assertThat(tally.bothStopped)
                    .as("both stopped, %s", Seed.replayLine())
                    .isPositive();
            for (Role role : Role.values()) {
                assertThat(tally.killed.keySet())
                        .as("killed, %s", Seed.replayLine())
                        .anyMatch(point -> point.role == role);
                assertThat(tally.stopped.keySet())
                        .as("stopped, %s", Seed.replayLine())
                        .anyMatch(point -> point.role == role);
            }
        }
        int rounds = HITS / FaultPoint.values().length;
        for (FaultPoint point : FaultPoint.values()) {
            assertThat(tally.hits(point))
                    .as("hits at %s, %s", point, Seed.replayLine())
                    .isGreaterThanOrEqualTo(rounds);
            if (rounds >= 10) { // after ten rounds the faults begin anew
                assertThat(tally.killed).as(Seed.replayLine()).containsKey(point);
                assertThat(tally.stopped).as(Seed.replayLine()).containsKey(point);
            }
        }
    }

    /**
     * S12.3: a standstill of ten seconds exceeds the timeouts of the paused initiator, which must process what has
     * arrived before its timers. It is shorter than the timeouts of the initiator whose home is paused, and that one
     * waits. Two pairs test both at the same time.
     */
    @Rule("S12.3")
    @Test
    @Timeout(120)
    void tenSecondsOfStandstillLoseNothing() throws Exception {
        var home = new BusyHome(context, "long", NEVER_MICROS);
        VictimPool.Held initiator = pool.take();
        initiator.victim().troubleHome("long", new Victim.Doors(home.jetty(), home.connected()));
        VictimPool.Held frozenHome = pool.take();
        var doors = frozenHome.victim().beHome("frozen", NEVER_MICROS);
        Duration patience = STANDSTILL.multipliedBy(3);
        UrmaContext patient = urma.device("shm0")
                .openContext(
                        0, ContextOptions.DEFAULT.withImportTimeout(patience).withCloseTimeout(CrashIT.DEADLINE));
        var trouble = new Trouble(patient, "frozen", doors.jetty(), doors.connected(), Duration.ZERO, patience);
        Patience.await("work before the pause", () -> home.received() > 100 && trouble.results.get() > 100);

        initiator.process().stop();
        frozenHome.process().stop();
        Patience.until(STANDSTILL, () -> false);
        long received = home.received();
        long results = trouble.results.get();
        initiator.process().proceed();
        frozenHome.process().proceed();

        Patience.await(
                "work after the pause",
                () -> home.received() > received + 100 && trouble.results.get() > results + 100);
        assertThat(initiator.victim().failures())
                .as("failed work requests of the paused initiator")
                .isZero();
        assertThat(trouble.failures.get())
                .as("failed work requests to the paused home")
                .isZero();
        assertThat(trouble.refusals.get()).as("failed calls to the paused home").isZero();
        assertThat(initiator.victim().end()).isEmpty();
        assertThat(trouble.end()).isEmpty();
        assertThat(frozenHome.victim().end()).isEmpty();
        home.end();
        assertThat(home.wrongs()).isEmpty();
        patient.close();
        initiator.process().close();
        frozenHome.process().close();
    }

    /** S12.3: a peer that was stopped and comes back in time: nothing lost, nothing doubled. */
    @Rule("S12.3")
    @Test
    @Timeout(120)
    void pauseOfTheHomeWithinTheTimeoutLosesNothing() throws Exception {
        VictimPool.Held held = pool.take();
        var doors = held.victim().beHome("paused", NEVER_MICROS);
        var trouble = new Trouble(context, "paused", doors.jetty(), doors.connected());
        pause(held, SHORT_PAUSE, () -> trouble.results.get() > 100, trouble.results::get);

        assertThat(trouble.end()).isEmpty();
        assertThat(trouble.failures.get())
                .as("failed work requests to the paused peer")
                .isZero();
        assertThat(held.victim().end()).isEmpty();
        held.process().close();
    }

    /** Out of descriptors: refused in words, and as before when there are some again. */
    @Rule("S2.1")
    @Test
    @Timeout(120)
    void processWithoutDescriptorsSaysSoAndGoesOn() throws Exception {
        assertRefusesAndGoesOn("ulimit -n 160", 4096, "EMFILE", "Too many open files");
    }

    /** Out of address space, with which a JVM begins: its own share is 3 GiB and more. */
    @Rule("S2.1")
    @Test
    @Timeout(120)
    void processWithoutRoomForMappingsSaysSoAndGoesOn() throws Exception {
        assertRefusesAndGoesOn("ulimit -v 8000000", 64L << 20, "ENOMEM", "Cannot allocate memory");
    }

    /** More than a file may have, memory without a name among them. */
    @Rule("S2.1")
    @Test
    @Timeout(120)
    void memoryBeyondTheLimitOfFilesIsRefusedInWords() throws Exception {
        assertRefusesAndGoesOn("ulimit -f 65536", 256L << 20, "EFBIG", "File too large"); // in KiB or half KiB
    }

    private void assertRefusesAndGoesOn(String limit, long lengthBytes, String... words) throws Exception {
        List<String> limited = List.of("sh", "-c", limit + " && exec \"$0\" \"$@\"");
        try (var process = DriverProcess.start(VictimProcess.class, limited, System.getProperty("java.class.path"))) {
            Victim home = process.root(Victim.class);
            home.open(runtime.toString());
            String before = home.held();

            String refusal = home.exhaust(lengthBytes);

            assertThat(refusal).contains("ENOMEM", Long.toString(lengthBytes)).containsAnyOf(words);
            assertThat(home.held()).as("what is left after %s", refusal).isEqualTo(before);
            var doors = home.beHome("frugal", 2_000);
            var trouble = new Trouble(context, "frugal", doors.jetty(), doors.connected());
            Patience.await("work after it", () -> trouble.results.get() > 100);
            assertThat(trouble.end()).isEmpty();
            assertThat(home.end()).isEmpty();
        }
    }

    private static void pause(VictimPool.Held held, Duration length, BooleanSupplier busy, LongSupplier done) {
        Patience.await("some work before the pause", busy);
        held.process().stop();
        Patience.until(length, () -> false);
        long before = done.getAsLong();
        held.process().proceed();
        Patience.await("work after the pause", () -> done.getAsLong() > before + 100);
    }

    /** A fault to inject: at a point, when the process passes it for the given number of times. */
    private record Blow(
            String name, FaultPoint point, Fault fault, int times, long revokeEveryMicros, Duration reached) {}

    private List<String> strike(Blow blow) throws Exception {
        return blow.point.role == Role.HOME ? strikeHome(blow) : strikeInitiator(blow);
    }

    private List<String> strikeHome(Blow blow) throws Exception {
        VictimPool.Held held = pool.take();
        var doors = held.victim().beHome(blow.name, blow.revokeEveryMicros);
        held.victim().arm(blow.point, blow.fault, blow.times);
        var trouble = new Trouble(context, blow.name, doors.jetty(), doors.connected(), ARMED_FIRST);
        hit(held, blow, () -> trouble.imports.get() > 0);
        List<String> wrongs = new ArrayList<>(trouble.end());
        wrongs.addAll(end(held, blow.point, blow.fault));
        return wrongs;
    }

    private List<String> strikeInitiator(Blow blow) throws Exception {
        // a stopped importer delays a revocation (S7.9): the home's timeout must be longer than the stop
        var home = new BusyHome(context, blow.name, blow.revokeEveryMicros, LONG_STOP.plus(CrashIT.DEADLINE));
        VictimPool.Held held = pool.take();
        held.victim().arm(blow.point, blow.fault, blow.times);
        held.victim().troubleHome(blow.name, new Victim.Doors(home.jetty(), home.connected()));
        hit(held, blow, () -> home.received() > 0);
        List<String> wrongs = new ArrayList<>(end(held, blow.point, blow.fault));
        home.end();
        wrongs.addAll(home.wrongs());
        return wrongs;
    }

    /** Two processes that meet, and are hit at once; we look on. When both are dead, others take their places. */
    private List<String> strikeBoth(String name, FaultPoint point, Fault fault) throws Exception {
        VictimPool.Held home = pool.take();
        VictimPool.Held initiator = pool.take();
        var doors = home.victim().beHome(name, random.nextInt(200, 20_000));
        FaultPoint other = partnerOf(point);
        FaultPoint ofHome = point.role == Role.HOME ? point : other;
        FaultPoint ofInitiator = point.role == Role.HOME ? other : point;
        home.victim().arm(ofHome, fault, 1);
        initiator.victim().arm(ofInitiator, fault, 1);
        initiator.victim().troubleHome(name, doors);
        Patience.until(REACHED, () -> home.isHit(fault) || initiator.isHit(fault));
        boolean homeHit = await(home, ofHome, fault, REACHED_ALONE); // the other end is gone, or stands still
        boolean initiatorHit = await(initiator, ofInitiator, fault, homeHit ? REACHED_ALONE : Duration.ZERO);
        if (homeHit || initiatorHit) {
            hitFromOutside(home, fault, homeHit);
            hitFromOutside(initiator, fault, initiatorHit);
            tally.both(fault);
        }
        boolean homeFirst = random.nextBoolean();
        pass(homeFirst ? home : initiator, fault, random.nextInt(5, SHORT_STOP_MILLIS));
        pass(homeFirst ? initiator : home, fault, random.nextInt(5, SHORT_STOP_MILLIS));
        List<String> wrongs = new ArrayList<>(end(initiator, ofInitiator, fault));
        wrongs.addAll(end(home, ofHome, fault));
        if (fault == Fault.KILL) {
            wrongs.addAll(replace(name));
        }
        return wrongs;
    }

    /** Hits a process from outside, when the other end was hit first and has kept it from reaching its own point. */
    private static void hitFromOutside(VictimPool.Held held, Fault fault, boolean hit) {
        if (hit) {
            return;
        }
        switch (fault) {
            case KILL -> held.process().kill();
            case STOP -> held.process().stop();
        }
    }

    /** A home and an initiator that never met the dead ones work under the same name, as if it had never been used. */
    private List<String> replace(String name) throws Exception {
        VictimPool.Held held = pool.take(); // opening a context removes the files of dead ones
        var home = new BusyHome(context, name, NEVER_MICROS);
        held.victim().troubleHome(name, new Victim.Doors(home.jetty(), home.connected()));
        boolean works = Patience.until(
                Patience.LIMIT, () -> home.received() > 10 && held.victim().done() > 10);
        List<String> wrongs = new ArrayList<>(held.victim().end());
        home.end();
        wrongs.addAll(home.wrongs());
        if (!works) {
            wrongs.add("those who came after two dead ones had " + home.received() + " messages only");
        }
        pool.giveBack(held);
        List<String> files = RuntimeFiles.of(runtime);
        int living = 1 + pool.waiting(); // we, and those
        if (files.size() != 2 * living) {
            wrongs.add("the dead left something: " + files + " are there for " + living + " contexts");
        }
        if (!context.publishedNames().isEmpty()) {
            wrongs.add("names of the dead are there: " + context.publishedNames());
        }
        return wrongs;
    }

    private FaultPoint partnerOf(FaultPoint point) {
        List<FaultPoint> others = List.of(FaultPoint.values()).stream()
                .filter(one -> one.role != point.role && !one.isClose())
                .toList();
        return others.get(random.nextInt(others.size()));
    }

    /** Until the fault has happened, and is over when it is one that passes. */
    private void hit(VictimPool.Held held, Blow blow, BooleanSupplier worked) {
        if (blow.point.isClose()) {
            Patience.await("the first success", worked);
            held.victim().beginToClose();
        }
        boolean hit = await(held, blow.point, blow.fault, blow.reached);
        boolean isLong = hit && blow.fault == Fault.STOP && ++tally.stops % STOPS_TO_A_LONG_ONE == 2;
        if (isLong) {
            tally.longStops++;
        }
        pass(held, blow.fault, isLong ? Math.toIntExact(LONG_STOP.toMillis()) : random.nextInt(5, SHORT_STOP_MILLIS));
    }

    private boolean await(VictimPool.Held held, FaultPoint point, Fault fault, Duration limit) {
        boolean hit = held.awaitHit(fault, limit);
        if (hit) {
            tally.hit(point, fault);
        } else {
            tally.missed(point);
        }
        return hit;
    }

    /** The process is dead, or continues after a while. */
    private static void pass(VictimPool.Held held, Fault fault, int millis) {
        if (fault == Fault.KILL) {
            held.process().kill();
        } else {
            Patience.until(Duration.ofMillis(millis), () -> false);
            held.release();
        }
    }

    /** What the victim itself found wrong, when it lives. */
    private List<String> end(VictimPool.Held held, FaultPoint point, Fault fault) {
        if (fault == Fault.KILL || point.isClose()) {
            held.process().close();
            return List.of();
        }
        List<String> wrongs = held.victim().end();
        pool.giveBack(held);
        return wrongs;
    }
}
