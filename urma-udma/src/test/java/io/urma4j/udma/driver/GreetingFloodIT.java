package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.tck.Patience;
import io.urma4j.udma.control.GreetingTemplate;
import io.urma4j.udma.hostile.Greeter;
import io.urma4j.udma.hostile.OtherUser;
import io.urma4j.udma.hostile.RoceSeal;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process, of another user where root can start one, greets a device from 64 addresses and 100 ports, and answers each
 * challenge. Honest contexts that come meanwhile are served, and the home keeps no more than its table has places.
 */
@Timeout(600)
class GreetingFloodIT {
    private static final int GREETINGS = Boolean.getBoolean("urma.full") ? 1_000_000 : 100_000;
    private static final String HOME = "127.0.73.100";
    private static final String ATTACKERS = "127.0.73.0"; // .1 to .64
    private static final int MAX_KEPT = 1024; // peers that hold nothing
    private static final long MAX_GROWTH_BYTES = 24 << 20;
    private static final Duration SERVED_WITHIN = Patience.stretched(Duration.ofSeconds(2)); // nineteen of twenty
    private static final Duration LONGEST =
            Patience.stretched(Duration.ofSeconds(4)); // of hundreds: a late pause takes 1 s
    /** A close waits 10 seconds at most for importers whose answers the flood drowns. */
    private static final Duration LONGEST_LIFE = Patience.stretched(Duration.ofSeconds(30));

    private static final Token TOKEN = Token.of(7);
    private static final long VALUE = 0x0123_4567_89AB_CDEFL;

    @TempDir
    Path folder;

    private LoneContext home;
    private SharedSegment shared;
    private Urma newcomers;
    private final List<Long> servedNanos = new ArrayList<>();

    @BeforeEach
    void open() {
        openHome();
        newcomers = Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder.resolve("run"))
                .withSetting("urma.udma.addresses", "127.0.73.101"));
    }

    private void openHome() {
        home = new LoneContext(folder.resolve("run"), HOME, 64);
        MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
        memory.set(ValueLayout.JAVA_LONG, 0, VALUE);
        UdmaSegment segment = home.context
                .exports()
                .register(new SegmentRequest(null, memory, Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN));
        shared = new SharedSegment(segment.descriptor(), TOKEN);
    }

    @AfterEach
    void close() {
        newcomers.close();
        home.close();
    }

    @Test
    void aFloodOfGreetingsTakesNoRoomAndLocksOutNoNewcomer() throws Exception {
        newcomer(); // what runs for the first time is slow
        long heapBefore = heapInUse();
        String alone = serve(() -> servedNanos.size() < 20);

        Process attacker = attacker(ATTACKERS, 20_000);
        String said;
        String during;
        int most;
        try (BufferedReader output = attacker.inputReader()) {
            assertThat(output.readLine()).isEqualTo("ready");
            during = serve(attacker::isAlive);
            most = peers();
            said = output.readLine();
            assertThat(attacker.waitFor()).as(said).isZero();
        } finally {
            attacker.destroyForcibly();
        }
        List<Long> times = List.copyOf(servedNanos);
        String after = serve(() -> servedNanos.size() < 20);
        long grownBytes = heapInUse() - heapBefore;

        System.out.printf(
                "GreetingFloodIT: by uid %d, %s; %d peers kept; the heap grew by %,d KiB; newcomers to their first READ:"
                        + " %s alone, %s during it, %s after it%n",
                OtherUser.uid(), said, most, grownBytes / 1024, alone, during, after);
        assertThat(most).isLessThanOrEqualTo(MAX_KEPT + 2);
        assertThat(grownBytes).isLessThan(MAX_GROWTH_BYTES);
        assertThat(times.get(times.size() * 19 / 20 - 1)).isLessThan(SERVED_WITHIN.toNanos());
        assertThat(times.getLast()).isLessThan(LONGEST.toNanos());
        assertThat(servedNanos.getLast()).isLessThan(SERVED_WITHIN.toNanos());
        Patience.await("strangers are dropped", () -> peers() == 0);
    }

    /** A home that opens, serves and closes at an address that two processes flood all the time. */
    @Test
    void homesBeginAndEndAmongTwoAttackers() throws Exception {
        newcomer();
        Process one = attacker(ATTACKERS, 20_000);
        Process other = attacker("127.0.74.0", 21_000);
        int lives = 0;
        long longestNanos = 0;
        try (BufferedReader ofOne = one.inputReader();
                BufferedReader ofOther = other.inputReader()) {
            assertThat(ofOne.readLine()).isEqualTo("ready");
            assertThat(ofOther.readLine()).isEqualTo("ready");
            while (one.isAlive() || other.isAlive()) {
                long start = System.nanoTime();
                home.close();
                openHome();
                newcomer();
                longestNanos = Math.max(longestNanos, System.nanoTime() - start);
                lives++;
            }
            String said = ofOne.readLine() + ", and " + ofOther.readLine();
            assertThat(one.waitFor() + other.waitFor()).as(said).isZero();
            System.out.printf(
                    "GreetingFloodIT: by two processes of uid %d, %s; %d homes closed, opened and read from, the longest in"
                            + " %d ms%n",
                    OtherUser.uid(), said, lives, longestNanos / 1_000_000);
        } finally {
            one.destroyForcibly();
            other.destroyForcibly();
        }
        assertThat(lives).isPositive();
        assertThat(Duration.ofNanos(longestNanos)).isLessThan(LONGEST_LIFE);
    }

    private Process attacker(String firstAddress, int firstPort) throws IOException {
        return OtherUser.start(
                folder,
                List.of(Greeter.class, RoceSeal.class),
                List.of(
                        firstAddress,
                        HOME,
                        Integer.toString(home.adapter.address().udpPort()),
                        HexFormat.of().formatHex(GreetingTemplate.packet(home.context.incarnation())),
                        Long.toHexString(GreetingTemplate.INCARNATION),
                        Integer.toString(GREETINGS),
                        Integer.toString(firstPort)));
    }

    private interface Condition {
        boolean holds();
    }

    /** Serves one after the other as long as a condition holds; says how many, and how long they took. */
    private String serve(Condition condition) {
        servedNanos.clear();
        while (condition.holds()) {
            servedNanos.add(newcomer());
        }
        Collections.sort(servedNanos);
        return "%d in %.1f ms, longest %.1f ms"
                .formatted(
                        servedNanos.size(),
                        servedNanos.stream()
                                        .mapToLong(Long::longValue)
                                        .average()
                                        .orElse(0)
                                / 1e6,
                        servedNanos.getLast() / 1e6);
    }

    /** A context that was not there before imports the segment and reads; returns how long that took. */
    private long newcomer() {
        try (UrmaContext context = newcomers.device("udma0").openContext()) {
            long start = System.nanoTime();
            try (RemoteMemory memory = context.importMemory(shared.toLine())) {
                assertThat(memory.readLong(0)).isEqualTo(VALUE);
                return System.nanoTime() - start;
            }
        }
    }

    private int peers() {
        return home.adapter
                .engine()
                .ask(() -> CompletableFuture.completedFuture(
                        home.context.peers().plane().peers().size()))
                .join();
    }

    /** What is left when the collector has been at work a few times. */
    private static long heapInUse() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
