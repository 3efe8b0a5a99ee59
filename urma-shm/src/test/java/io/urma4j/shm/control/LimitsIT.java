package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Jetty;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Revocation;
import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.tck.Rule;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many of everything. {@code -Durma.full=true} takes the whole numbers, without it some are sampled. */
@Timeout(1200)
class LimitsIT {
    private static final boolean FULL = Boolean.getBoolean("urma.full");
    private static final int JETTIES = 4096;
    private static final int SEGMENTS = 10_000;
    private static final int IMPORTS = FULL ? 10_000 : 1_000;
    private static final int PROCESSES = FULL ? 200 : 16;
    private static final int CYCLES = FULL ? 100_000 : 2_000;

    @TempDir
    Path temporary;

    /** S3.3: 4096 Jetties of one context, each for itself. */
    @Rule("S3.3")
    @Test
    void contextHasAsManyJettiesAsItSays() {
        try (Urma urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(temporary.resolve("runtime")))) {
            var context = urma.device("shm0").openContext();
            var jfc = context.createJfc(JfcConfig.DEFAULT);
            var jfr = context.createJfr(jfc, JfrConfig.builder().depth(1).build());
            List<Jetty> jetties = new ArrayList<>();
            for (int i = 0; i < JETTIES; i++) {
                jetties.add(context.createJetty(
                        jfc, jfr, JfsConfig.builder().depth(1).build()));
            }
            assertThat(jetties.stream().map(Jetty::id).distinct()).hasSize(JETTIES);
            jetties.forEach(Jetty::close);
        }
    }

    @Test
    void homeHasTenThousandSegments() throws Exception {
        Path directory = temporary.resolve("runtime");
        try (TestContext home = new TestContext(directory);
                TestContext importer = new TestContext(directory);
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "many")) {
            List<ShmSegment> segments = new ArrayList<>();
            for (int i = 0; i < SEGMENTS; i++) {
                segments.add(home.register(memory, Access.READ_WRITE));
            }
            List<ShmImport> imports = new ArrayList<>();
            for (int i = 0; i < IMPORTS; i++) {
                imports.add(importer.importFrom(segments.get(i * (SEGMENTS / IMPORTS)), Access.READ_WRITE));
            }
            for (ShmSegment segment : segments) {
                assertThat(get(segment.unregister(Duration.ofSeconds(20)))).isEqualTo(Revocation.COMPLETED);
            }
            await().untilAsserted(() -> assertThat(imports).allMatch(ShmImport::isRevoked));
        }
    }

    /** Each has imported the segment and opened a path; then all are killed at once. */
    @Test
    void manyProcessesUseOneHome() throws Exception {
        Path directory = temporary.resolve("runtime");
        try (TestContext home = new TestContext(directory)) {
            ShmSegment segment = home.share(Access.READ_WRITE);
            get(segment.publish("table", true));
            List<Child> children = Child.importers(directory, "table", PROCESSES);
            try {
                assertThat(segment.importers()).hasSize(PROCESSES);
                assertThat(home.paths).hasSize(PROCESSES);
            } finally {
                children.forEach(Child::kill);
                children.forEach(Child::close);
            }
            assertThat(get(segment.unregister(Duration.ofSeconds(20)))).isEqualTo(Revocation.COMPLETED);
            await().untilAsserted(() -> assertThat(home.paths).isEmpty());
        }
        System.out.println("LimitsIT: " + PROCESSES + " processes on one home");
    }

    @Test
    void cyclesOfRegisterImportAndCloseLeaveNothing() throws Exception {
        Path directory = temporary.resolve("runtime");
        try (TestContext home = new TestContext(directory);
                TestContext importer = new TestContext(directory)) {
            cycle(home, importer, CYCLES / 10); // what is made once is there from now on
            List<String> descriptors = OpenDescriptors.ofContexts(directory);
            long mappings = mappings();
            long heapBytes = heapInUse();
            int threads = Thread.activeCount();

            cycle(home, importer, CYCLES);

            await().untilAsserted(() ->
                    assertThat(OpenDescriptors.ofContexts(directory)).isEqualTo(descriptors));
            assertThat(mappings()).isEqualTo(mappings);
            // polls in this thread, since another would be counted; the thread of the wait above may be about to end
            await().pollInSameThread()
                    .untilAsserted(() -> assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads));
            long grownBytes = heapInUse() - heapBytes;
            System.out.println("LimitsIT: " + CYCLES + " cycles of register, import, close; the heap grew by "
                    + grownBytes / 1024 + " KiB");
            assertThat(grownBytes).isLessThan(4 << 20);
        }
    }

    private static void cycle(TestContext home, TestContext importer, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            try (ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "cycle")) {
                ShmSegment segment = home.register(memory, Access.READ_WRITE);
                get(importer.importFrom(segment, Access.READ_WRITE).close());
                assertThat(get(segment.unregister(Duration.ofSeconds(20)))).isEqualTo(Revocation.COMPLETED);
            }
        }
    }

    private static long mappings() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("memfd:")).count();
        }
    }

    /** What is left when the collector has been at work a few times. */
    private static long heapInUse() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
