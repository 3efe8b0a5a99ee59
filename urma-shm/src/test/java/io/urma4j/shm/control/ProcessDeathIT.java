package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Revocation;
import io.urma4j.libc.Signal;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.tck.DriverProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, killed and stopped. */
@Timeout(120)
class ProcessDeathIT {
    private static final int KILLS = Boolean.getBoolean("urma.full") ? 100 : 8;

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext context;

    @BeforeEach
    void here() {
        directory = temporary.resolve("runtime");
        context = new TestContext(directory);
    }

    @AfterEach
    void closed() {
        context.close();
    }

    private ShmImport importByName(String name) throws Exception {
        var found = get(context.plane.lookup(name, LONG));
        return (ShmImport) get(context.plane.importSegment(
                new ImportRequest(found.descriptor(), found.token(), Access.READ_WRITE, LONG)));
    }

    /** The home has not connected to us yet: that connection is still to be had, but for its own process alone. */
    @Test
    void aPeersNameIsOfNoUseToAnotherProcess() throws Exception {
        try (Child home = Child.home(directory, "table")) {
            Peer peer = importByName("table").home();
            assertThat(peer.pid()).isEqualTo(home.pid());
            try (RawPeer impostor = RawPeer.connectedTo(directory, context.plane)) {
                impostor.send(new Hello(
                        ControlCodec.MAJOR,
                        ControlCodec.MINOR,
                        ControlCodec.FEATURES,
                        0,
                        peer.eid(),
                        peer.uasid(),
                        peer.id().incarnation(),
                        context.plane.incarnation(),
                        peer.id().address()));

                assertThat(impostor.receive().orElseThrow()).isInstanceOf(Refused.class);
            }
            assertThat(peer.isLost()).isFalse();
        }
    }

    /** S12.4, S7.9. */
    @Test
    void aKilledImporterIsLostForSureAndHoldsUpNoRevocation() throws Exception {
        ShmSegment segment = context.share(Access.READ_WRITE);
        get(segment.publish("table", true));
        try (Child importer = Child.importer(directory, "table")) {
            assertThat(segment.importers()).hasSize(1).first().asString().contains("pid " + importer.pid());
            assertThat(context.paths).hasSize(1);

            importer.kill();
            Revocation revocation = get(segment.unregister(Duration.ofSeconds(10)));

            assertThat(revocation).isEqualTo(Revocation.COMPLETED);
            await().atMost(Duration.ofSeconds(5)).until(() -> context.lost.size() == 1);
            assertThat(context.lost.getFirst()).startsWith("proven");
        }
    }

    @Test
    void aKilledHomeTakesItsSegmentsWithIt() throws Exception {
        try (Child home = Child.home(directory, "table")) {
            ShmImport imported = importByName("table");
            imported.memory.set(JAVA_LONG, 0, 42);
            assertThat(imported.lengthBytes()).isEqualTo(1 << 20);

            home.kill();

            await().atMost(Duration.ofSeconds(5)).until(imported::isRevoked);
            await().atMost(Duration.ofSeconds(5)).until(() -> context.lost.size() == 1);
            assertThat(context.lost.getFirst()).startsWith("proven");
            await().untilAsserted(() -> assertThatThrownBy(() -> imported.memory.get(JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class));
        }
    }

    /** S7.9: neither answers nor is proven dead. */
    @Test
    void aStoppedImporterLeadsToQuarantineUntilItGoesOn() throws Exception {
        ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "table");
        ShmSegment segment = context.register(memory, Access.READ_WRITE);
        get(segment.publish("table", true));
        try (Child importer = Child.importer(directory, "table")) {
            Signal.STOP.sendTo(importer.pid());
            try {
                DriverProcess.awaitStop(importer.pid());
                Revocation revocation = get(segment.unregister(Duration.ofMillis(300)));

                assertThat(revocation.status()).isEqualTo(Revocation.Status.QUARANTINED);
                assertThat(revocation.importers()).hasSize(1).first().asString().contains("pid " + importer.pid());
                assertThatThrownBy(() -> context.register(memory, Access.READ)).hasMessageContaining("quarantined");
            } finally {
                Signal.CONT.sendTo(importer.pid());
            }
            await().untilAsserted(() -> memory.quarantine().check(memory));
            context.register(memory, Access.READ_WRITE);
        }
    }

    @Test
    void theNextContextRemovesWhatAKilledOneLeft() throws Exception {
        try (Child home = Child.home(directory, "table")) {
            home.kill();
        }

        try (TestContext next = new TestContext(directory)) {
            ShmSegment segment = next.share(Access.READ);
            get(segment.publish("table", true));
            assertThat(files()).hasSize(2 + 2 + 1); // two locks, two sockets, the name
        }
    }

    @Test
    void aNameOfAKilledOwnerIsFree() throws Exception {
        try (Child home = Child.home(directory, "table")) {
            home.kill();
        }

        assertThatThrownBy(() -> get(context.plane.lookup("table", LONG))).hasMessageContaining("gone");
        get(context.share(Access.READ).publish("table", true));
    }

    /** At any moment of an import or its end. */
    @Test
    @Timeout(600) // a hundred JVMs one after the other, if whole
    void killsAtRandomMomentsLeaveNothingAndHoldUpNothing() throws Exception {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        Random random = new Random(seed);
        List<String> before = OpenDescriptors.ofContexts(directory);
        for (int i = 0; i < KILLS; i++) {
            try (ShmMemory memory = ShmMemory.allocate(1 << 16, AllocOptions.DEFAULT, "table")) {
                ShmSegment segment = context.register(memory, Access.READ_WRITE);
                get(segment.publish("table", true));
                try (Child busy = Child.busyImporter(directory, "table")) {
                    TimeUnit.MICROSECONDS.sleep(random.nextInt(60_000));
                    busy.kill();
                    assertThat(get(segment.unregister(Duration.ofSeconds(10))))
                            .as("-Durma.seed=%d: kill %d", seed, i)
                            .isEqualTo(Revocation.COMPLETED);
                }
            }
        }
        await().untilAsserted(
                        () -> assertThat(OpenDescriptors.ofContexts(directory)).isEqualTo(before));
    }

    /** A visitor that is still alive: a peer without imports of ours is evicted when it disconnects. */
    @Test
    void visitorUnderManyNamesCostsNoDescriptors() throws Exception {
        int before = OpenDescriptors.ofContexts(directory).size();
        try (Child visitor = Child.visitor(directory, context.plane)) {
            await().untilAsserted(() -> assertThat(OpenDescriptors.ofContexts(directory))
                    .as("descriptors after %d visits of %d", Child.VISITS, visitor.pid())
                    .hasSizeLessThan(before + 10));
        }
    }

    private List<String> files() throws Exception {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> !Files.isDirectory(file))
                    .map(Path::toString)
                    .toList();
        }
    }
}
