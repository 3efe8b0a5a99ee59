package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Endpoint;
import io.urma4j.MapPlace;
import io.urma4j.Opcode;
import io.urma4j.RemoteSegment;
import io.urma4j.Revocation;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** SEMANTICS §7.11: a peer's memory for plain loads and stores. */
public abstract class MappingContract extends Contract {
    private static final int SIZE = 4096;
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    protected MappingContract(String device) {
        super(device);
    }

    private boolean mappable() {
        return pair.device().attributes().capabilities().mappable();
    }

    @BeforeEach
    void needsTheCapability(TestInfo test) {
        assumeTrue(mappable() || test.getDisplayName().contains("IsRefused"), "the device does not map segments");
    }

    /** S7.11: without the capability mapping is refused. */
    @Rule("S7.11")
    @Test
    void mappingIsRefusedWhereTheDeviceCannot() {
        assumeTrue(!mappable(), "the device can");

        assertRefused(UrmaStatus.EINVAL, () -> pair.imported(SIZE).remote().map())
                .hasMessageContaining("mapped");
    }

    /** S7.11: loads see what the home stores, and stores are seen at the home. */
    @Rule("S7.11")
    @Test
    void mappedMemoryIsTheHomesOwn() {
        var imported = pair.imported(SIZE);
        MemorySegment mapped = imported.remote().map();

        assertThat(mapped.byteSize()).isEqualTo(SIZE);
        imported.home().setWord(8, 42);
        assertThat((long) WORD.getAcquire(mapped, 8L)).isEqualTo(42);
        WORD.setRelease(mapped, 16L, 43L);
        imported.home().awaitWord(16, 43);
        new Payload(5).fill(mapped, 0, 0, SIZE);
        assertThat(imported.home().firstDifference(new Payload(5), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(imported.remote().map()).isEqualTo(mapped);
    }

    /** S7.11: access outside of it, before or behind, fails. */
    @Rule("S7.11")
    @Test
    void mappedMemoryIsBoundsChecked() {
        var imported = pair.imported(100);
        MemorySegment mapped = imported.remote().map();

        assertThat(mapped.byteSize()).isEqualTo(100);
        assertThatThrownBy(() -> mapped.get(JAVA_BYTE, 100)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> mapped.set(JAVA_BYTE, -1, (byte) 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** S7.11, S7.7: a READ import maps read-only, also of a segment that can be written. */
    @Rule({"S7.11", "S7.7"})
    @Test
    void readAccessMapsReadOnly() {
        var segment = pair.home().segment(SIZE, Access.READ_WRITE);
        var shared = segment.shared();
        var remote = pair.initiator().context().importSegment(shared.descriptor(), shared.token(), Access.READ);
        MemorySegment mapped = remote.map();

        assertThat(mapped.isReadOnly()).isTrue();
        assertThatThrownBy(() -> mapped.set(JAVA_BYTE, 0, (byte) 1)).isInstanceOf(IllegalArgumentException.class);
        segment.setWord(0, 7);
        assertThat((long) WORD.getAcquire(mapped, 0L)).isEqualTo(7);
        assertThat(segment.word(0)).isEqualTo(7);
    }

    /** S7.11, S8.7: atomics of the CPU on mapped memory and those of a queue are atomic against each other. */
    @Rule({"S7.11", "S8.7"})
    @Test
    void atomicsOfTheCpuAndOfAQueueLoseNothing() throws Exception {
        assumeTrue(pair.device().attributes().capabilities().cpuAtomics(), "not against the CPU's own");
        int times = 20_000;
        var imported = pair.imported(SIZE, Access.READ_WRITE_ATOMIC);
        MemorySegment mapped = imported.remote().map();
        var cpu = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < times; i++) {
                var _ = (long) WORD.getAndAdd(mapped, 0L, 1L);
            }
        });
        for (int i = 0; i < times; i++) {
            pair.initiator().queue().atomic(Opcode.FADD, imported.remote(), 0, 8, 1, 0);
        }
        cpu.join();

        assertThat(imported.home().word(0)).isEqualTo(2L * times);
    }

    /** S7.11, S7.9: after the revocation every access fails with an exception, and nothing crashes. */
    @Rule({"S7.11", "S7.9"})
    @Test
    void mappedMemoryIsDeadAfterTheRevocation() {
        var imported = pair.imported(SIZE);
        MemorySegment mapped = imported.remote().map();
        MemorySegment part = mapped.asSlice(64, 64);

        imported.revoke();

        Patience.await("the revocation", imported.remote()::isRevoked);
        assertThatThrownBy(() -> mapped.get(JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> mapped.set(JAVA_LONG, 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> part.fill((byte) 1)).isInstanceOf(IllegalStateException.class);
        assertRefused(UrmaStatus.EINVAL, () -> imported.remote().map()).hasMessageContaining("revoked by its home");
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
    }

    /** S7.11, S7.9: threads that load and store all the time end with the revocation, and touch nothing after it. */
    @Rule({"S7.11", "S7.9"})
    @Test
    void revocationEndsThreadsThatUseMappedMemory() throws Exception {
        for (int round = 0; round < 10; round++) {
            var imported = pair.imported(64 * 1024);
            MemorySegment mapped = imported.remote().map();
            var ended = new AtomicInteger();
            var busy = new AtomicInteger();
            List<Thread> users = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                boolean fills = i == 0;
                users.add(Thread.ofPlatform().daemon().start(() -> {
                    try {
                        while (true) { // until it is revoked
                            if (fills) {
                                mapped.fill((byte) 0xEE);
                            } else {
                                var _ = (long) WORD.getAndAdd(mapped, 8L, 1L);
                            }
                            busy.incrementAndGet();
                        }
                    } catch (IllegalStateException e) {
                        ended.incrementAndGet();
                    }
                }));
            }
            Patience.await("first accesses", () -> busy.get() > 100);

            assertThat(imported.home().unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);
            imported.home().fill(new Payload(round));

            for (Thread user : users) {
                assertThat(user.join(Patience.LIMIT)).isTrue();
            }
            assertThat(ended.get()).isEqualTo(2);
            assertThat(imported.home().firstDifference(new Payload(round), 0, 0, 64 * 1024))
                    .isEqualTo(-1);
        }
    }

    /** S7.11, S4.2: closing the import ends its mapping, too. */
    @Rule({"S7.11", "S4.2"})
    @Test
    void mappedMemoryIsDeadAfterTheImportIsClosed() {
        var imported = pair.imported(SIZE);
        MemorySegment mapped = imported.remote().map();

        imported.remote().close();

        assertThatThrownBy(() -> mapped.get(JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
        assertRefused(UrmaStatus.EINVAL, () -> imported.remote().map()).hasMessageContaining("closed");
    }

    /** S7.11, S12.4: the death of the home revokes its memory from processes that have mapped it. */
    @Rule({"S7.11", "S12.4"})
    @Test
    void mappedMemoryIsDeadAfterTheDeathOfItsHome() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var imported = pair.imported(SIZE);
        MemorySegment mapped = imported.remote().map();

        processOfHome().kill();

        Patience.await("the loss", imported.remote()::isRevoked);
        Patience.await("the fence", () -> !mapped.scope().isAlive());
        assertThatThrownBy(() -> mapped.get(JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
    }

    /** S7.11: the same for a segment on huge pages. */
    @Rule("S7.11")
    @Test
    void memoryThatAskedForHugePagesIsMapped() {
        var owner = pair.initiator().context();
        var memory = owner.allocate(4L << 20, AllocOptions.DEFAULT.withHugePages());
        var segment = owner.register(memory, Access.READ_WRITE);
        var imported = pair.home().importSegment(new SharedSegment(segment.descriptor(), segment.token()));

        imported.setMappedWord((4L << 20) - 8, 77);

        assertThat(memory.segment().get(JAVA_LONG, (4L << 20) - 8)).isEqualTo(77);
        assertThat(imported.mappedWord((4L << 20) - 8)).isEqualTo(77);
    }

    /** S7.11 (DSVA): in the process of the home that address is taken, by the memory itself. */
    @Rule({"S7.11", "S2.2"})
    @Test
    void sameAddressFailsWhereSomethingIsThere() {
        assumeTrue(topology() != Topology.TWO_PROCESSES, "the home's addresses may be free here");
        var imported = pair.imported(SIZE);

        assertRefused(UrmaStatus.EEXIST, () -> imported.remote().map(MapPlace.SAME_ADDRESS));

        assertThat(imported.home().importers())
                .as("a failed call changes nothing")
                .hasSize(1);
        imported.home().setWord(0, 9);
        assertThat(imported.remote().map().get(JAVA_LONG, 0)).isEqualTo(9);
    }

    /** S7.11 (DSVA): another process maps the memory at the home's address, and loses it like any mapping. */
    @Rule({"S7.11", "S7.9"})
    @Test
    void sameAddressIsTheHomesOwnInAnotherProcess() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "the home's own mapping is there");
        int mapped = 0;
        for (int i = 0; i < 8; i++) {
            var imported = pair.imported(1 << 20);
            Endpoint endpoint = imported.remote().descriptor().endpoints().getFirst();
            try {
                checkSameAddress(imported, endpoint.vaBase());
                mapped++;
            } catch (UrmaException e) {
                assertThat(e.status()).as("by chance something may be there").isEqualTo(UrmaStatus.EEXIST);
            }
        }
        assertThat(mapped).isPositive();
    }

    private static void checkSameAddress(Pair.Imported imported, long homeAddress) {
        RemoteSegment remote = imported.remote();
        MemorySegment same = remote.map(MapPlace.SAME_ADDRESS);

        assertThat(same.address()).isEqualTo(homeAddress);
        assertThat(same.byteSize()).isEqualTo(remote.lengthBytes());
        WORD.setRelease(same, 8L, 11L);
        imported.home().awaitWord(8, 11);
        assertThat(remote.map(MapPlace.SAME_ADDRESS)).isEqualTo(same);

        assertThat(imported.home().unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);
        assertThatThrownBy(() -> same.get(JAVA_LONG, 8)).isInstanceOf(IllegalStateException.class);
    }

    /** S7.11 (DSVA): closing the import unmaps the home's address, so it can be mapped again. */
    @Rule({"S7.11", "S4.1"})
    @Test
    void sameAddressIsFreeAgainAfterTheImportIsClosed() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "the home's own mapping is there");
        var segment = pair.initiator().asHome().segment(1 << 20, Access.READ_WRITE);
        for (int i = 0; i < 3; i++) {
            var imported = pair.home().importSegment(segment.shared());
            try {
                assertThat(imported.mapAtHomeAddress())
                        .isEqualTo(segment.descriptor().endpoints().getFirst().vaBase());
            } catch (UrmaException e) {
                assertThat(i).as("only what was there before is in the way").isZero();
                assumeTrue(false, "by chance something is there");
            }
            imported.close();
        }
        Patience.await("the home to take note", () -> segment.importers().isEmpty());
    }
}
