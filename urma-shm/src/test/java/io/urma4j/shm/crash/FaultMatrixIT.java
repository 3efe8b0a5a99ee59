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
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Home, initiator or both are killed, or stopped for a while, at each step of import, bind, send, write, revoke and close
 * ({@link FaultPoint}). Whoever lives on has a result for each of its work requests, finds no byte wrong, and leaks
 * nothing; who was stopped goes on as if nothing had been.
 *
 * <p>{@code -Durma.full=true} does so a thousand times, {@code -Durma.seed=…} repeats the choices of a run.
 */
class FaultMatrixIT {
    private static final boolean FULL = Boolean.getBoolean("urma.full");
    private static final int RUNS = FULL ? 1000 : 50;

    /** A stop costs little; each kill costs the start of a JVM. */
    private static final int KILLS_IN_TEN = FULL ? 5 : 3;

    /** Longer than the timeouts of queues and imports of {@link Trouble}. */
    private static final Duration LONG_PAUSE = FULL ? Duration.ofSeconds(10) : Duration.ofSeconds(4);

    /** Shorter than these. */
    private static final Duration SHORT_PAUSE = Duration.ofSeconds(1);

    /** Within which a point is reached that is reached at all; the second when the other end is gone already. */
    private static final Duration REACHED = Duration.ofSeconds(2);

    private static final Duration REACHED_ALONE = Duration.ofMillis(300);

    /** On a machine that is busy with other things not all runs are made. */
    private static final Duration BUDGET = FULL ? Duration.ofHours(2) : Duration.ofSeconds(100);

    private static final long NEVER_MICROS = 600_000_000;

    private final SplittableRandom random = Seed.randomFor("fault matrix");
    private final Tally tally = new Tally();
    private Path directory;
    private Urma urma;
    private UrmaContext context;
    private VictimPool pool;

    /** What was done, for the summary. */
    private static final class Tally {
        final Map<FaultPoint, Integer> killed = new EnumMap<>(FaultPoint.class);
        final Map<FaultPoint, Integer> stopped = new EnumMap<>(FaultPoint.class);
        final Set<FaultPoint> missed = EnumSet.noneOf(FaultPoint.class);
        int both;
        int notReached;

        void count(FaultPoint point, Fault fault) {
            (fault == Fault.KILL ? killed : stopped).merge(point, 1, Integer::sum);
        }

        private static int sum(Map<FaultPoint, Integer> counts) {
            return counts.values().stream().mapToInt(Integer::intValue).sum();
        }

        @Override
        public String toString() {
            return sum(killed) + " killed and " + sum(stopped) + " stopped at a point, " + both
                    + " times both ends at once, " + notReached + " came by no more " + missed + "; killed " + killed
                    + ", stopped "
                    + stopped;
        }
    }

    @BeforeEach
    void open() throws IOException {
        directory = Files.createTempDirectory("urma-faults-");
        Path classes = directory.resolve("classes");
        FaultClasses.write(classes);
        Path runtime = directory.resolve("runtime");
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

    /** S12.3, S12.4, S6.8, S7.9: at every step. */
    @Rule({"S12.3", "S12.4", "S6.8", "S7.9"})
    @Test
    @Timeout(8000)
    void whoLivesOnHasAllItsResultsWhereverTheOthersWereHit() throws Exception {
        System.out.println("FaultMatrixIT: " + RUNS + " runs; seed " + Seed.OF_RUN);
        ProcessLeaks before = null;
        List<FaultPoint> points = List.of(FaultPoint.values());
        int first = random.nextInt(points.size());
        long end = System.nanoTime() + BUDGET.toNanos();
        int run = 0;
        for (; run < RUNS && System.nanoTime() - end < 0; run++) {
            FaultPoint point = points.get((first + run) % points.size());
            Fault fault = random.nextInt(10) < KILLS_IN_TEN ? Fault.KILL : Fault.STOP;
            int times = 1 + random.nextInt(point.times());
            String what = "run " + run + ", " + fault + " at " + point + ", time " + times + ", " + Seed.replayLine();
            assertThat(strike(run, point, fault, times)).as(what).isEmpty();
            tally.count(point, fault);
            if (run == 0) {
                pool.retire();
                Patience.until(Duration.ofMillis(500), () -> false); // its end is noticed
                before = ProcessLeaks.count(); // what is made once is there from now on
            } else if (run % 100 == 0) {
                System.out.println("FaultMatrixIT: " + run + " of " + RUNS + ": " + tally);
            }
        }
        pool.retire();
        ProcessLeaks expected = before;
        Patience.until(CrashIT.DEADLINE, () -> ProcessLeaks.count().equals(expected));
        assertThat(ProcessLeaks.count()).as(Seed.replayLine()).isEqualTo(expected);
        System.out.println("FaultMatrixIT: " + run + " runs, " + tally + "; seed " + Seed.OF_RUN);
        assertThat(tally.notReached).as("points that nobody came by").isLessThan(Math.max(run / 2, 10));
    }

    /** S12.3: after a pause of our own what has arrived comes before the timers, however long it was. */
    @Rule("S12.3")
    @Test
    @Timeout(120)
    void ownPauseBeyondAllTimeoutsLosesNothing() throws Exception {
        var home = new BusyHome(context, "long", NEVER_MICROS);
        VictimPool.Held held = pool.take();
        held.victim().troubleHome("long", new Victim.Doors(home.jetty(), home.connected()));
        pause(held, LONG_PAUSE, () -> home.received() > 100, home::received);

        assertThat(held.victim().failures())
                .as("failed work requests of who was paused")
                .isZero();
        assertThat(held.victim().end()).isEmpty();
        home.end();
        assertThat(home.wrongs()).isEmpty();
        held.process().close();
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
                .as("failed work requests to who was paused")
                .isZero();
        assertThat(held.victim().end()).isEmpty();
        held.process().close();
    }

    /** Out of descriptors: refused in words, and as before when there are some again. */
    @Rule("S2.1")
    @Test
    @Timeout(120)
    void processWithoutDescriptorsSaysSoAndGoesOn() throws Exception {
        List<String> limited = List.of("sh", "-c", "ulimit -n 160 && exec \"$0\" \"$@\"");
        try (var process = DriverProcess.start(VictimProcess.class, limited, System.getProperty("java.class.path"))) {
            Victim home = process.root(Victim.class);
            home.open(directory.resolve("runtime").toString());

            String refusal = home.exhaust();

            assertThat(refusal).contains("ENOMEM").containsAnyOf("EMFILE", "Too many open files");
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

    private List<String> strike(int run, FaultPoint point, Fault fault, int times) throws Exception {
        String name = "table-" + run;
        if (!point.isClose() && random.nextInt(6) == 0) {
            tally.both++;
            return strikeBoth(name, point, fault);
        }
        return point.role == Role.HOME
                ? strikeHome(name, point, fault, times)
                : strikeInitiator(name, point, fault, times);
    }

    private List<String> strikeHome(String name, FaultPoint point, Fault fault, int times) throws Exception {
        VictimPool.Held held = pool.take();
        var doors = held.victim().beHome(name, random.nextInt(200, 20_000));
        held.victim().arm(point, fault, times);
        var trouble = new Trouble(context, name, doors.jetty(), doors.connected());
        hit(held, point, fault, () -> trouble.imports.get() > 0);
        List<String> wrongs = new ArrayList<>(trouble.end());
        wrongs.addAll(end(held, point, fault));
        return wrongs;
    }

    private List<String> strikeInitiator(String name, FaultPoint point, Fault fault, int times) throws Exception {
        var home = new BusyHome(context, name, random.nextInt(200, 20_000));
        VictimPool.Held held = pool.take();
        held.victim().arm(point, fault, times);
        held.victim().troubleHome(name, new Victim.Doors(home.jetty(), home.connected()));
        hit(held, point, fault, () -> home.received() > 0);
        List<String> wrongs = new ArrayList<>(end(held, point, fault));
        home.end();
        wrongs.addAll(home.wrongs());
        return wrongs;
    }

    /** Two processes that meet, and are hit at once; we look on. */
    private List<String> strikeBoth(String name, FaultPoint point, Fault fault) throws Exception {
        VictimPool.Held home = pool.take();
        VictimPool.Held initiator = pool.take();
        var doors = home.victim().beHome(name, random.nextInt(200, 20_000));
        FaultPoint other = partnerOf(point);
        home.victim().arm(point.role == Role.HOME ? point : other, fault, 1);
        initiator.victim().arm(point.role == Role.INITIATOR ? point : other, fault, 1);
        initiator.victim().troubleHome(name, doors);
        await(home, point, fault, REACHED);
        await(initiator, point, fault, REACHED_ALONE); // while the home is gone, or stands still
        boolean homeFirst = random.nextBoolean();
        pass(homeFirst ? home : initiator, fault);
        pass(homeFirst ? initiator : home, fault);
        List<String> wrongs = new ArrayList<>(end(initiator, point, fault));
        wrongs.addAll(end(home, point, fault));
        return wrongs;
    }

    private FaultPoint partnerOf(FaultPoint point) {
        List<FaultPoint> others = List.of(FaultPoint.values()).stream()
                .filter(one -> one.role != point.role && !one.isClose())
                .toList();
        return others.get(random.nextInt(others.size()));
    }

    /** Until the fault has happened, and is over when it is one that passes. */
    private void hit(VictimPool.Held held, FaultPoint point, Fault fault, BooleanSupplier worked) {
        if (point.isClose()) {
            Patience.await("the first success", worked);
            held.victim().beginToClose();
        }
        await(held, point, fault, REACHED);
        pass(held, fault);
    }

    private void await(VictimPool.Held held, FaultPoint point, Fault fault, Duration limit) {
        if (!(fault == Fault.KILL ? held.awaitDeath(limit) : held.awaitStop(limit))) {
            tally.notReached++;
            tally.missed.add(point);
        }
    }

    /** It is dead for good, or goes on after a while. */
    private void pass(VictimPool.Held held, Fault fault) {
        if (fault == Fault.KILL) {
            held.process().kill();
        } else {
            Patience.until(Duration.ofMillis(random.nextInt(5, 200)), () -> false);
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
