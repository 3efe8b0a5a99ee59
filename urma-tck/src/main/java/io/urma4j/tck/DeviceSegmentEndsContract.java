package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** SEMANTICS §15: how imports of device memory end: by a free, a revocation, or the death of a peer. */
public abstract class DeviceSegmentEndsContract extends ServingContract {
    protected DeviceSegmentEndsContract(String device) {
        super(device);
    }

    /** S15.20: a free by the home ends the import: the home and its importers are notified. */
    @Rule({"S15.20", "S15.22"})
    @Test
    void freedMemoryEndsItsImports() {
        var imported = imported(4096);
        var other = imported(4096);
        var source = pair.initiator().buffer(64, new Payload(1));
        var queue = pair.initiator().queue();
        assertThat(queue.write(imported.remote(), 0, source, 0, 8).isSuccess()).isTrue();

        imported.home().freeByForce();

        assertThat(pair.home().awaitEvent(AsyncEvent.Type.MEM_INVALIDATED).detail())
                .contains("FREED");
        Patience.await("the revocation at the importer", imported.remote()::isRevoked);
        assertThat(queue.write(other.remote(), 0, source, 0, 8).isSuccess()).isTrue();
        assertThat(queue.write(imported.remote(), 0, source, 0, 8).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S15.21: a free with requests of an importer in flight: each ends once. */
    @Rule("S15.21")
    @Test
    void freeWithRequestsInFlightEndsEachOnce() throws Exception {
        int depth = 64;
        int size = 64 * KB;
        for (int round = 0; round < Patience.amount(10, 3); round++) {
            var imported = imported(size);
            var source = pair.initiator().buffer(size, new Payload(round));
            var queue = pair.initiator().queue(JfsConfig.builder().depth(depth).build());
            Thread freeing = Thread.ofPlatform().start(imported.home()::freeByForce);
            for (int i = 0; i < depth - 1; i++) {
                assertThat(queue.jfs().write(imported.remote(), 0, source, 0, size, i))
                        .isTrue();
            }
            freeing.join();
            assertThat(queue.jfs().write(imported.remote(), 0, source, 0, size, depth - 1))
                    .isTrue();

            var ended = queue.drainAndFlush();

            assertThat(ended)
                    .extracting(SendSide.Result::userContext)
                    .hasSize(depth)
                    .doesNotHaveDuplicates();
            assertThat(ended).last().matches(result -> result.status() != CompletionStatus.SUCCESS);
            source.close();
        }
    }

    /** S15.46: a revocation of device memory waits for no importer, and no byte moves afterwards. */
    @Rule("S15.46")
    @Test
    void revocationWaitsForNoImporter() throws Exception {
        int size = MB;
        var imported = imported(size);
        var source = pair.initiator().buffer(size, new Payload(1));
        var queue = pair.initiator().queue(JfsConfig.builder().depth(64).build());
        Thread posting = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20; i++) {
                queue.jfs().write(imported.remote(), 0, source, 0, size, i);
            }
        });

        assertThat(imported.home().unregister(Duration.ofMillis(200)).isComplete())
                .isTrue();
        imported.home().put(0, new byte[size]);

        Patience.await("the revocation at the importer", imported.remote()::isRevoked);
        posting.join();
        assertThat(queue.drainAndFlush()).hasSize(20);
        assertThat(imported.home().isZero(0, size)).isTrue();
    }

    /** S12.4: a home that is killed with requests in flight: each ends once, and later ones fail. */
    @Rule({"S12.4", "S15.21"})
    @Test
    void deathOfTheHomeEndsRequestsOnItsDevice() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        int depth = 64;
        int size = 256 * KB;
        var imported = imported(size);
        var source = pair.initiator().buffer(size, new Payload(1));
        var queue = pair.initiator().queue(JfsConfig.builder().depth(depth).build());
        Thread posting = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < depth; i++) {
                queue.jfs().write(imported.remote(), 0, source, 0, size, i);
            }
        });

        processOfHome().kill();

        posting.join();
        var ended = queue.drainAndFlush();
        assertThat(ended)
                .extracting(SendSide.Result::userContext)
                .hasSize(depth)
                .doesNotHaveDuplicates();
        assertThat(ended).last().matches(result -> result.status() != CompletionStatus.SUCCESS);
        assertThat(imported.remote().isRevoked()).isTrue();
    }

    /** S12.4, S15.46: an importer that is killed in the middle of its requests holds nothing. */
    @Rule({"S12.4", "S15.46"})
    @Test
    void deadImporterHoldsNothing() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var home = pair.initiator().asHome().deviceSegment(4096, Access.READ_WRITE_ATOMIC);
        var there = pair.home().importSegment(home.shared());
        assertThat(there.write(0, new byte[] {1, 2, 3}).isSuccess()).isTrue();
        Thread adding = Thread.ofVirtual().start(() -> {
            try {
                there.addOnes(8, 1_000_000);
            } catch (RuntimeException e) {
                // its process was killed
            }
        });
        Patience.await("atomics of the importer", () -> home.word(8) > 10);

        processOfHome().kill();

        adding.join();
        long word = home.word(8);
        var mine = pair.initiator().context().importSegment(home.shared());
        assertThat(pair.initiator()
                        .queue()
                        .jfs()
                        .atomic(Opcode.FADD, mine, 8, pair.initiator().buffer(64), 0, 8, 5, 0, 1, PostFlags.DEFAULT))
                .isTrue();
        assertThat(pair.initiator().awaitCompletion().isSuccess()).isTrue();
        assertThat(home.word(8)).isBetween(word + 5, word + 6); // its last atomic may have been in progress
        assertThat(home.unregister(Patience.LIMIT).isComplete()).isTrue();
    }
}
