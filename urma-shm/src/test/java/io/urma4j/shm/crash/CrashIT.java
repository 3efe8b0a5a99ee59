package io.urma4j.shm.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.ContextOptions;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.tck.DriverProcess;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Rule;
import io.urma4j.tck.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Homes and initiators are killed at random moments. The survivor, which stays the same for all of them, has a result for
 * each of its work requests within the deadline, goes on with the next peer, and leaks nothing.
 *
 * <p>{@code -Durma.full=true} kills 300, {@code -Durma.inputs=N} N, {@code -Durma.seed=…} repeats the moments of a run.
 */
class CrashIT {
    /** Within which the survivor must have got over a death. */
    static final Duration DEADLINE = Duration.ofSeconds(Boolean.getBoolean("urma.full") ? 15 : 5);

    private static final int MOMENTS = Integer.getInteger("urma.inputs", Boolean.getBoolean("urma.full") ? 300 : 25);
    private static final int LATEST_MICROS = 40_000;

    private final SplittableRandom random = Seed.randomFor("crashes");
    private final Tally tally = new Tally();
    private Path directory;
    private Urma urma;
    private UrmaContext context;
    private CompletableFuture<DriverProcess> nextVictim;

    /**
     * When a victim dies.
     *
     * @param working counted from its first success, else from its start: then it dies while it meets the survivor
     * @param micros how long after that
     * @param closingMicros for how long before it had begun to close; -1 when it had not
     */
    private record Moment(boolean working, int micros, int closingMicros) {
        static Moment any(SplittableRandom random) {
            boolean working = random.nextInt(3) > 0;
            int micros = random.nextInt(random.nextBoolean() ? LATEST_MICROS / 10 : LATEST_MICROS);
            return new Moment(working, micros, random.nextInt(4) == 0 ? random.nextInt(4_000) : -1);
        }

        void kill(DriverProcess victim, Victim ends, BooleanSupplier worked) {
            if (working) {
                Patience.await("the victim's first success", worked);
            }
            LockSupport.parkNanos(micros * 1_000L);
            if (closingMicros >= 0) {
                ends.beginToClose();
                LockSupport.parkNanos(closingMicros * 1_000L);
            }
            victim.kill();
        }
    }

    /** What was seen, for the summary. */
    private static final class Tally {
        int homes;
        int initiators;
        long results;
        long failures;
        long imports;
        long messages;
        long revocations;

        @Override
        public String toString() {
            return "killed " + homes + " homes and " + initiators + " initiators; the survivor had " + results
                    + " results, " + failures + " of them failures, made " + imports + " imports, received " + messages
                    + " messages, and took its segment back " + revocations + " times";
        }
    }

    @BeforeEach
    void open() throws IOException {
        directory = Files.createTempDirectory("urma-crash-");
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
        context = urma.device("shm0")
                .openContext(
                        0, ContextOptions.DEFAULT.withImportTimeout(DEADLINE).withCloseTimeout(DEADLINE));
        prepareVictim();
    }

    @AfterEach
    void close() throws IOException {
        nextVictim.join().close();
        urma.close();
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Starts the next victim's JVM, which takes longer than its death. */
    private void prepareVictim() {
        nextVictim = CompletableFuture.supplyAsync(() -> DriverProcess.start(VictimProcess.class));
    }

    private DriverProcess victim() {
        DriverProcess victim = nextVictim.join();
        prepareVictim();
        return victim;
    }

    /**
     * S12.4, S6.8, S7.9, S2.2: when a peer dies at any moment, the survivor has all results, goes on, and leaks
     * nothing.
     */
    @Rule({"S12.4", "S6.8", "S7.9", "S13.2", "S12.6"})
    @Test
    @Timeout(8000) // a thousand take an hour beside another module
    void survivorOutlivesPeersThatAreKilledAtAnyMoment() throws Exception {
        var late = new Moment(true, LATEST_MICROS, -1);
        killHome(0, late); // what is made once is there from now on
        killInitiator(0, late);
        ProcessLeaks before = ProcessLeaks.count();

        for (int round = 1; round <= MOMENTS; round++) {
            var moment = Moment.any(random);
            String what = "round " + round + ", killed " + moment + ", " + Seed.replayLine();
            List<String> wrongs = random.nextBoolean() ? killHome(round, moment) : killInitiator(round, moment);
            assertThat(wrongs).as(what).isEmpty();
            assertLeaksNothing(what, before);
            if (round % 100 == 0) {
                System.out.println("CrashIT: " + round + " of " + MOMENTS + ": " + tally);
            }
        }

        System.out.println("CrashIT: " + tally + "; seed " + Seed.OF_RUN);
        assertThat(tally.failures).as("deaths that were felt").isPositive();
    }

    private List<String> killHome(int round, Moment moment) throws InterruptedException {
        String name = "table-" + round;
        try (var victim = victim()) {
            var home = victim.root(Victim.class);
            home.open(directory.toString());
            assertNothingOfTheDeadIsLeft();
            var doors = home.beHome(name, random.nextInt(200, 20_000));
            var trouble = new Trouble(context, name, doors.jetty(), doors.connected());
            moment.kill(victim, home, () -> trouble.results.get() > 0);
            List<String> wrongs = trouble.end();
            tally.homes++;
            tally.results += trouble.results.get();
            tally.failures += trouble.failures.get();
            tally.imports += trouble.imports.get();
            return wrongs;
        }
    }

    private List<String> killInitiator(int round, Moment moment) throws InterruptedException {
        String name = "table-" + round;
        var home = new BusyHome(context, name, random.nextInt(200, 20_000));
        try (var victim = victim()) {
            var initiator = victim.root(Victim.class);
            initiator.open(directory.toString());
            assertNothingOfTheDeadIsLeft();
            initiator.troubleHome(name, new Victim.Doors(home.jetty(), home.connected()));
            moment.kill(victim, initiator, () -> home.received() > 0);
        }
        long receivedBefore = home.received();
        assertGoesOn(name, home); // in this process, while the peers' death is being noticed
        home.end();
        tally.initiators++;
        tally.messages += receivedBefore;
        tally.revocations += home.revocations();
        return home.wrongs();
    }

    /** A new initiator finds the home as if no process had died. */
    private void assertGoesOn(String name, BusyHome home) throws InterruptedException {
        long before = home.received();
        var trouble = new Trouble(context, name, home.jetty(), home.connected());
        boolean heard = Patience.until(DEADLINE, () -> home.received() > before && trouble.imports.get() > 3);
        assertThat(trouble.end()).as("a new initiator after a death").isEmpty();
        assertThat(heard).as("messages and imports after a death").isTrue();
    }

    /** Two files for each context that lives, whatever the dead left: the next one that opened has removed it. */
    private void assertNothingOfTheDeadIsLeft() {
        assertThat(RuntimeFiles.of(directory))
                .as("files of two living contexts")
                .hasSize(4);
    }

    private void assertLeaksNothing(String what, ProcessLeaks before) {
        Patience.until(DEADLINE, () -> ProcessLeaks.count().equals(before));
        assertThat(ProcessLeaks.count()).as(what).isEqualTo(before);
        assertThat(context.publishedNames()).as(what).isEmpty();
    }
}
