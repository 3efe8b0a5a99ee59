package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.Revocation;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * SEMANTICS §7.9 with importers that are alive, dead and stopped. The initiator revokes, and the home imports, since
 * only the home can be another process.
 */
public abstract class RevocationContract extends Contract {
    private static final int SIZE = 4096;
    private static final Duration SHORT = Duration.ofMillis(300);

    protected RevocationContract(String device) {
        super(device);
    }

    private static SharedSegment shared(LocalSegment segment) {
        return new SharedSegment(segment.descriptor(), segment.token());
    }

    private LocalSegment segmentOf(UrmaContext owner) {
        return owner.register(owner.allocate(SIZE), Access.READ_WRITE);
    }

    private static void needsAnotherProcess(Topology topology) {
        assumeTrue(topology == Topology.TWO_PROCESSES, "only another process can be stopped or killed");
    }

    private String nameOfHome() {
        return Long.toString(processOfHome().pid());
    }

    /** S7.9: all of many importers release, and the home's call returns when the last has. */
    @Rule("S7.9")
    @Test
    void allOfManyImportersLetGo() {
        var segment = segmentOf(pair.initiator().context());
        List<RemoteSegment> imports = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            imports.add(pair.anotherInitiator().context().importSegment(shared(segment)));
        }
        var far = pair.home().importSegment(shared(segment));

        assertThat(segment.unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);

        assertThat(imports).allMatch(RemoteSegment::isRevoked);
        assertThat(far.isRevoked()).isTrue();
        assertThat(segment.revocation()).contains(Revocation.COMPLETED);
    }

    /** S7.9: a stopped importer does not delay the others: all are notified before any is awaited. */
    @Rule("S7.9")
    @Test
    void stoppedImporterDoesNotHoldUpTheOthers() throws Exception {
        needsAnotherProcess(topology());
        var segment = segmentOf(pair.initiator().context());
        var before = pair.anotherInitiator().context().importSegment(shared(segment));
        var stopped = pair.home().importSegment(shared(segment));
        var after = pair.anotherInitiator().context().importSegment(shared(segment));
        processOfHome().stop();
        try {
            var revocation = CompletableFuture.supplyAsync(
                    () -> segment.unregister(Duration.ofSeconds(5)), command -> Thread.startVirtualThread(command));

            Patience.await("the others", () -> before.isRevoked() && after.isRevoked());
            assertThat(revocation)
                    .as("the home still waits for the stopped one")
                    .isNotDone();
            processOfHome().proceed();
            assertThat(revocation.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(Revocation.COMPLETED);
            assertThat(stopped.isRevoked()).isTrue();
        } finally {
            processOfHome().proceed();
        }
    }

    /** S7.9: quarantined memory cannot be registered again until its importers have released it, or are dead. */
    @Rule({"S7.9", "S2.2"})
    @Test
    void quarantinedMemoryIsNotReusedUntilItsImportersHaveLetGo() {
        needsAnotherProcess(topology());
        var context = pair.initiator().context();
        var memory = context.allocate(SIZE);
        var segment = context.register(memory, Access.READ_WRITE);
        pair.home().importSegment(shared(segment));
        processOfHome().stop();
        try {
            assertThat(segment.unregister(SHORT).status()).isEqualTo(Revocation.Status.QUARANTINED);

            assertRefused(UrmaStatus.EAGAIN, () -> context.register(memory, Access.READ_WRITE))
                    .hasMessageContaining("quarantined")
                    .hasMessageContaining(nameOfHome());
        } finally {
            processOfHome().proceed();
        }
        Patience.await("the end of the quarantine", () -> isRegistrable(context, memory));
    }

    /** S7.9: the death of the last importer ends a quarantine. */
    @Rule({"S7.9", "S12.4"})
    @Test
    void deathEndsAQuarantine() {
        needsAnotherProcess(topology());
        var context = pair.initiator().context();
        var memory = context.allocate(SIZE);
        var segment = context.register(memory, Access.READ_WRITE);
        pair.home().importSegment(shared(segment));
        processOfHome().stop();
        assertThat(segment.unregister(SHORT).importers())
                .singleElement()
                .asString()
                .contains(nameOfHome());

        processOfHome().kill();

        Patience.await("the end of the quarantine", () -> isRegistrable(context, memory));
    }

    private static boolean isRegistrable(UrmaContext context, SharedMemory memory) {
        try {
            context.register(memory, Access.READ_WRITE).close();
            return true;
        } catch (UrmaException e) {
            assertThat(e.status()).isEqualTo(UrmaStatus.EAGAIN);
            return false;
        }
    }

    /** S7.9: the log and the closed segment name the importers that have not released it. */
    @Rule({"S7.9", "S4.1"})
    @Test
    void closeSaysWhoHoldsOn() {
        needsAnotherProcess(topology());
        var context = shortClosing();
        var segment = segmentOf(context);
        pair.home().importSegment(shared(segment));
        Queue<String> said = new ConcurrentLinkedQueue<>();
        processOfHome().stop();
        try (var warnings = Warnings.of(LocalSegment.class, said::add)) {
            segment.close();

            assertThat(segment.revocation()).hasValueSatisfying(revocation -> {
                assertThat(revocation.status()).isEqualTo(Revocation.Status.QUARANTINED);
                assertThat(revocation.importers()).singleElement().asString().contains(nameOfHome());
            });
            assertThat(warnings).isNotNull();
            assertThat(said).singleElement().asString().contains("quarantined");
        } finally {
            processOfHome().proceed();
        }
        context.close();
    }

    private UrmaContext shortClosing() {
        return pair.device().openContext(0, ContextOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(1)));
    }

    /** S4.1, S7.9: a closing context first notifies the importers of all its segments, and waits once for all. */
    @Rule({"S4.1", "S7.9", "S12.6"})
    @Test
    void stoppedImporterOfOneSegmentDoesNotPutOthersIntoQuarantine() {
        needsAnotherProcess(topology());
        var context = shortClosing();
        var free = List.of(segmentOf(context), segmentOf(context));
        var held = segmentOf(context); // the last one made is the first one closed
        free.forEach(segment -> pair.initiator().context().importSegment(shared(segment)));
        pair.home().importSegment(shared(held));
        processOfHome().stop();
        long start = System.nanoTime();
        try {
            context.close();
        } finally {
            processOfHome().proceed();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        assertThat(held.revocation()).map(Revocation::isComplete).contains(false);
        assertThat(free).allSatisfy(segment -> assertThat(segment.revocation()).contains(Revocation.COMPLETED));
    }

    /** S7.9: several killed importers beside a living one do not delay the revocation. */
    @Rule({"S7.9", "S12.4"})
    @Test
    void deadAndLivingImportersTogetherEndInTime() {
        needsAnotherProcess(topology());
        var segment = segmentOf(pair.initiator().context());
        pair.home().importSegment(shared(segment));
        pair.home().importSegment(shared(segment));
        var living = pair.anotherInitiator().context().importSegment(shared(segment));
        processOfHome().kill();

        assertThat(segment.unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);
        assertThat(living.isRevoked()).isTrue();
    }
}
