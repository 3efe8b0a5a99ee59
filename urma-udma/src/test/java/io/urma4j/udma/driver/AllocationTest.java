package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** At the queue level no operation allocates on the Java heap, with locks or without. */
@ParameterizedClass(name = "lockFree={0}")
@ValueSource(booleans = {true, false})
class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int OPERATIONS = 100;
    private static final int WINDOWS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private static Path runtime;

    @Parameter
    private boolean lockFree;

    private Urma urma;
    private LocalSegment local;
    private RemoteSegment remote;
    private Jfc jfc;
    private Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(16);

    private LocalSegment home;
    private Jfc homeJfc;
    private Jfr homeJfr;
    private TargetJetty target;
    private final CompletionBatch homeBatch = new CompletionBatch(16);

    @BeforeEach
    void openInitiatorAndHome() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(runtime));
        UrmaContext homeContext = urma.device("udma0").openContext();
        home = homeContext.register(homeContext.allocate(4096), Access.READ_WRITE_ATOMIC);
        homeJfc = homeContext.createJfc(new JfcConfig(256, lockFree));
        homeJfr = homeContext.createJfr(homeJfc, JfrConfig.builder().build());
        UrmaContext context = urma.device("udma0").openContext();
        local = context.register(context.allocate(4096), Access.LOCAL_ONLY);
        remote = context.importSegment(SharedSegment.parse(home.share()));
        jfc = context.createJfc(new JfcConfig(256, lockFree));
        jfs = context.createJfs(jfc, JfsConfig.builder().lockFree(lockFree).build());
        target = context.importJetty(SharedJetty.parse(homeJfr.share()));
    }

    @AfterEach
    void close() {
        urma.close();
    }

    @Test
    void writeAllocatesNothing() {
        assertAllocatesNothing(() -> {
            jfs.write(remote, 0, local, 0, 8, 1);
            take(jfc, batch);
        });
    }

    @Test
    void longWriteAllocatesNothing() {
        assertAllocatesNothing(() -> {
            jfs.write(remote, 1, local, 3, 1000, 1);
            take(jfc, batch);
        });
    }

    @Test
    void readAllocatesNothing() {
        assertAllocatesNothing(() -> {
            jfs.read(remote, 0, local, 0, 8, 1);
            take(jfc, batch);
        });
    }

    @Test
    void atomicsAllocateNothing() {
        assertAllocatesNothing(() -> {
            jfs.fetchAndAdd(remote, 0, local, 0, 1, 1);
            take(jfc, batch);
            jfs.compareAndSwap(remote, 0, local, 0, 1, 2, 1);
            take(jfc, batch);
            jfs.atomic(Opcode.FXOR, remote, 8, local, 8, 4, 5, 0, 1, PostFlags.DEFAULT);
            take(jfc, batch);
        });
    }

    @Test
    void messageAllocatesNothingAtEitherEnd() {
        assertAllocatesNothing(() -> {
            homeJfr.receive(home, 0, 64, 2);
            jfs.send(target, local, 0, 64, 1);
            take(homeJfc, homeBatch);
            take(jfc, batch);
        });
    }

    @Test
    void pollThatFindsNothingAllocatesNothing() {
        assertAllocatesNothing(() -> jfc.poll(batch));
    }

    private static void take(Jfc from, CompletionBatch into) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (from.poll(into) == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no record within " + PATIENCE);
            }
        }
        if (!into.isSuccess(0)) {
            throw new AssertionError(into);
        }
    }

    /**
     * The lower quartile of all windows counts. Elsewhere there may be a few bytes: when the machine takes the CPU away for
     * so long that an engine falls asleep, it is woken by a native call, which is rare here and therefore interpreted.
     */
    private static void assertAllocatesNothing(Runnable operation) {
        repeat(operation, WARM_UP);
        long[] bytes = new long[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(operation, OPERATIONS);
            bytes[i] = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        Arrays.sort(bytes);
        assertThat(bytes[WINDOWS / 4])
                .as("bytes allocated by %d operations, lower quartile of %s", OPERATIONS, Arrays.toString(bytes))
                .isZero();
    }

    private static void repeat(Runnable operation, int times) {
        for (int i = 0; i < times; i++) {
            operation.run();
        }
    }
}
