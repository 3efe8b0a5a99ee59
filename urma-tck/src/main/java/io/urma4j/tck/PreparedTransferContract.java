package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteSegment;
import io.urma4j.TransferNotice;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §16: blocks that a post names by their numbers, as one work request. */
public abstract class PreparedTransferContract extends PreparingContract {
    protected PreparedTransferContract(String device) {
        super(device);
    }

    // ---- blocks

    /** S16.1, S16.2: a READ fills each local block that it names from its remote block, and no other. */
    @Rule({"S16.1", "S16.2"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 64, 100, 4096})
    void readFillsTheBlocksThatItNames(int blockBytes) {
        var random = Seed.randomFor("prepared read" + blockBytes);
        var first = pair.imported(40L * blockBytes + blockBytes / 2, Access.READ);
        var second = pair.imported(60L * blockBytes, Access.READ);
        first.home().fill(new Payload(1));
        second.home().fill(new Payload(2));
        var local = pair.initiator().buffer((long) COUNT * blockBytes);
        var queue = pair.initiator().queue();
        var transfer =
                PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, blockBytes, COUNT);
        int[] to = shuffled(COUNT, random);
        int[] from = anyOf(COUNT, COUNT, random);

        assertThat(transfer.post(Opcode.READ, to, 10, from, 5, 70, 42, TransferNotice.NONE, 0))
                .isTrue();

        assertThat(onlyRecord(queue))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.READ, Outcome::opcode)
                .returns(42L, Outcome::userContext)
                .returns(70L * blockBytes, Outcome::lengthBytes);
        for (int i = 0; i < COUNT; i++) {
            MemorySegment block = local.memory().asSlice((long) to[i] * blockBytes, blockBytes);
            if (i < 10 || i >= 80) {
                assertThat(block.mismatch(MemorySegment.ofArray(new byte[blockBytes])))
                        .as("local block " + to[i])
                        .isEqualTo(-1);
                continue;
            }
            int source = from[i - 5];
            Payload payload = new Payload(source < 40 ? 1 : 2);
            long at = (source < 40 ? source : source - 40) * (long) blockBytes;
            assertThat(payload.firstDifference(block, 0, at, blockBytes))
                    .as("local block %d of remote block %d", to[i], source)
                    .isEqualTo(-1);
        }
    }

    /** S16.1, S16.2: a WRITE fills each remote block that it names, and no other. */
    @Rule({"S16.1", "S16.2"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 64, 100, 4096})
    void writeFillsTheBlocksThatItNames(int blockBytes) {
        var random = Seed.randomFor("prepared write" + blockBytes);
        var first = pair.imported(40L * blockBytes);
        var second = pair.imported(60L * blockBytes);
        var local = pair.initiator().buffer((long) COUNT * blockBytes, new Payload(3));
        var queue = pair.initiator().queue();
        var transfer =
                PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, blockBytes, COUNT);
        int[] to = shuffled(COUNT, random);
        int[] from = anyOf(COUNT, COUNT, random);

        assertThat(transfer.post(Opcode.WRITE, from, 0, to, 0, 70, 43, TransferNotice.NONE, 0))
                .isTrue();

        assertThat(onlyRecord(queue))
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.WRITE, Outcome::opcode)
                .returns(43L, Outcome::userContext)
                .returns(70L * blockBytes, Outcome::lengthBytes);
        for (int i = 0; i < COUNT; i++) {
            HomeSegment home = to[i] < 40 ? first.home() : second.home();
            long at = (to[i] < 40 ? to[i] : to[i] - 40) * (long) blockBytes;
            if (i >= 70) {
                assertThat(home.isZero(at, blockBytes)).as("block " + to[i]).isTrue();
            } else {
                assertThat(home.firstDifference(new Payload(3), at, (long) from[i] * blockBytes, blockBytes))
                        .as("remote block %d of local block %d", to[i], from[i])
                        .isEqualTo(-1);
            }
        }
    }

    private static int[] anyOf(int count, int length, SplittableRandom random) {
        return random.ints(length, 0, count).toArray();
    }

    /** S16.2: blocks side by side move as well as others. */
    @Rule("S16.2")
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void neighboursMoveToo(Opcode opcode) {
        var first = pair.imported(10L * BLOCK);
        var second = pair.imported(SIZE);
        first.home().fill(new Payload(4));
        second.home().fill(new Payload(5));
        var local = pair.initiator().buffer(SIZE, new Payload(6));
        var queue = pair.initiator().queue();
        var transfer = PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, BLOCK, COUNT);

        assertThat(transfer.post(opcode, upTo(COUNT), upTo(COUNT), 1)).isTrue();

        assertThat(onlyRecord(queue).isSuccess()).isTrue();
        boolean isRead = opcode == Opcode.READ;
        long rest = SIZE - 10 * BLOCK;
        assertThat(first.home().firstDifference(new Payload(isRead ? 4 : 6), 0, 0, 10 * BLOCK))
                .isEqualTo(-1);
        assertThat(second.home().firstDifference(new Payload(isRead ? 5 : 6), 0, isRead ? 0 : 10 * BLOCK, rest))
                .isEqualTo(-1);
        assertThat(new Payload(isRead ? 4 : 6).firstDifference(local.memory(), 0, 0, 10 * BLOCK))
                .isEqualTo(-1);
        assertThat(new Payload(isRead ? 5 : 6)
                        .firstDifference(local.memory(), 10 * BLOCK, isRead ? 0 : 10 * BLOCK, rest))
                .isEqualTo(-1);
    }

    /** S16.1: more blocks than the queue has slots are one work request, for which one slot is enough. */
    @Rule("S16.1")
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void blocksMayBeMoreThanTheQueueHas(Opcode opcode) {
        int blocks = Patience.amount(20_000, 2_000);
        var imported = pair.imported(SIZE);
        imported.home().fill(new Payload(7));
        var local = pair.initiator().buffer(SIZE, new Payload(7));
        var queue = pair.initiator().queue(JfsConfig.builder().depth(4).build());
        var transfer = prepared(queue, imported.remote(), local);
        int[] numbers = IntStream.range(0, blocks).map(i -> i * 7 % COUNT).toArray();

        for (int round = 0; round < 3; round++) {
            assertThat(transfer.post(opcode, numbers, numbers, round)).isTrue();
            assertThat(queue.awaitCompletion())
                    .returns(CompletionStatus.SUCCESS, Outcome::status)
                    .returns((long) round, Outcome::userContext)
                    .returns((long) blocks * BLOCK, Outcome::lengthBytes);
        }

        assertThat(queue.within(MOMENT)).isEmpty();
        assertThat(imported.home().firstDifference(new Payload(7), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(new Payload(7).firstDifference(local.memory(), 0, 0, SIZE)).isEqualTo(-1);
    }

    /** S16.2: requests of the queue before a transfer and behind it keep their order with it. */
    @Rule({"S16.2", "S8.9"})
    @Test
    void transferKeepsItsPlaceInTheQueue() {
        var imported = pair.imported(SIZE);
        var before = pair.initiator().buffer(SIZE, new Payload(1));
        var moved = pair.initiator().buffer(SIZE, new Payload(2));
        var behind = pair.initiator().buffer(SIZE, new Payload(3));
        var queue = pair.initiator().queue();
        var transfer = prepared(queue, imported.remote(), moved);
        var jfs = queue.jfs();
        int[] numbers = shuffled(COUNT, Seed.randomFor("place of a transfer"));

        for (int round = 0; round < Patience.amount(50, 10); round++) {
            assertThat(jfs.write(imported.remote(), 0, before, 0, SIZE, 1)).isTrue();
            assertThat(transfer.post(Opcode.WRITE, numbers, numbers, 2)).isTrue();
            assertThat(jfs.write(imported.remote(), 0, behind, 0, SIZE / 2, 3)).isTrue();

            assertThat(queue.awaitCompletions(3))
                    .allMatch(Outcome::isSuccess)
                    .extracting(Outcome::userContext)
                    .containsExactly(1L, 2L, 3L);
            assertThat(imported.home().firstDifference(new Payload(3), 0, 0, SIZE / 2))
                    .isEqualTo(-1);
            assertThat(imported.home().firstDifference(new Payload(2), SIZE / 2, SIZE / 2, SIZE / 2))
                    .isEqualTo(-1);
        }
    }

    /** S16.2: the same behind a transfer that lasts. What would pass it is overwritten by its last block. */
    @Rule("S16.2")
    @Test
    void nothingPassesALongTransfer() {
        int blocks = 4096;
        long length = (long) blocks * BLOCK;
        var imported = pair.imported(length);
        var moved = pair.initiator().buffer(length, new Payload(2));
        var behind = pair.initiator().buffer(BLOCK, new Payload(3));
        var queue = pair.initiator().queue();
        var transfer = PreparedTransfer.of(queue.jfs(), List.of(imported.remote()), moved, BLOCK, blocks);

        for (int round = 0; round < 3; round++) {
            assertThat(transfer.post(Opcode.WRITE, upTo(blocks), upTo(blocks), 2))
                    .isTrue();
            assertThat(queue.jfs().write(imported.remote(), length - BLOCK, behind, 0, BLOCK, 3))
                    .isTrue();

            assertThat(queue.awaitCompletions(2))
                    .allMatch(Outcome::isSuccess)
                    .extracting(Outcome::userContext)
                    .containsExactly(2L, 3L);
            assertThat(imported.home().firstDifference(new Payload(3), length - BLOCK, 0, BLOCK))
                    .isEqualTo(-1);
        }
    }

    // ---- device memory

    /** S16.8: local blocks may lie on a device. */
    @Rule("S16.8")
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void blocksOfTheDeviceMove(Opcode opcode) {
        assumeTrue(takesDeviceMemory(), "the device takes no device memory");
        var imported = pair.imported(SIZE);
        DeviceMemory memory = DevicesUnderTest.allocate(pair.urma(), SIZE);

        checkBlocks(opcode, imported.home(), imported.remote(), onDevice(memory), memory);
    }

    /** S16.8: remote blocks may lie on a device of the home, which serves them; local ones too. */
    @Rule("S16.8")
    @ParameterizedTest
    @CsvSource({"READ, false", "READ, true", "WRITE, false", "WRITE, true"})
    void blocksOfTheHomesDeviceMove(Opcode opcode, boolean isLocalToo) {
        assumeTrue(takesDeviceMemory(), "the device takes no device memory");
        HomeDeviceSegment home = pair.home().deviceSegment(SIZE, Access.READ_WRITE);
        var remote = pair.initiator().context().importSegment(home.shared());
        DeviceMemory memory = isLocalToo ? DevicesUnderTest.allocate(pair.urma(), SIZE) : null;
        var local = memory == null ? pair.initiator().buffer(SIZE) : onDevice(memory);

        checkBlocks(opcode, home, remote, local, memory);
        refuse(() -> TransferNotice.word(remote, 0), "device memory");
    }

    private void checkBlocks(
            Opcode opcode, HomeSegment home, RemoteSegment remote, LocalSegment local, @Nullable DeviceMemory memory) {
        var random = Seed.randomFor("blocks of devices" + opcode);
        var queue = pair.initiator().queue();
        var transfer = prepared(queue, remote, local);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment bytes = memory == null ? local.memory() : arena.allocate(SIZE);
            for (int round = 0; round < 2; round++) {
                var payload = new Payload(round);
                if (opcode == Opcode.READ) {
                    home.fill(payload);
                } else {
                    payload.fill(bytes, 0, 0, SIZE);
                    if (memory != null) {
                        memory.copyFrom(0, bytes);
                    }
                }
                int[] here = shuffled(COUNT, random);
                int[] there = shuffled(COUNT, random);

                assertThat(transfer.post(opcode, here, there, round)).isTrue();

                assertThat(onlyRecordOf(queue, round).opcode()).isEqualTo(opcode);
                if (opcode == Opcode.READ && memory != null) {
                    memory.copyTo(0, bytes);
                }
                for (int i = 0; i < COUNT; i++) {
                    long at = (long) here[i] * BLOCK;
                    long from = (long) there[i] * BLOCK;
                    assertThat(
                                    opcode == Opcode.READ
                                            ? payload.firstDifference(bytes, at, from, BLOCK)
                                            : home.firstDifference(payload, from, at, BLOCK))
                            .as("local block %d, remote block %d", here[i], there[i])
                            .isEqualTo(-1);
                }
            }
        }
    }

    // ---- refusals

    /** S16.5: bad indexes are refused before a block moves; the transfer stays usable. */
    @Rule("S16.5")
    @Test
    void badIndexesAreRefused() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(SIZE / 2, new Payload(1));
        var transfer = prepared(queue, imported.remote(), local);

        refuse(transfer, new int[] {0, -1}, new int[] {0, 1}, "localIndexes[1] is -1, must lie in 0…49");
        refuse(transfer, new int[] {0, 50}, new int[] {0, 1}, "localIndexes[1] is 50, must lie in 0…49");
        refuse(transfer, new int[] {0, 1}, new int[] {0, -7}, "remoteIndexes[1] is -7, must lie in 0…99");
        refuse(transfer, new int[] {0, 1}, new int[] {0, 100}, "remoteIndexes[1] is 100, must lie in 0…99");
        refuse(transfer, new int[] {0, 1}, new int[] {Integer.MIN_VALUE, 0}, "remoteIndexes[0]");
        refuse(transfer, new int[] {0, 1}, new int[] {0}, "2 local and 1 remote indexes");
        refuse(transfer, new int[0], new int[0], "number of blocks is 0");
        refuse(transfer, new int[PreparedTransfer.MAX_BLOCKS + 1], new int[PreparedTransfer.MAX_BLOCKS + 1], "1048577");
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> transfer.post(Opcode.WRITE, upTo(4), 2, upTo(4), 0, 3, 1, TransferNotice.NONE, 0))
                .hasMessageContaining("localFrom 2 + 3 blocks lies outside the 4 indexes");
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> transfer.post(Opcode.WRITE, upTo(4), 0, upTo(4), -1, 3, 1, TransferNotice.NONE, 0))
                .hasMessageContaining("remoteFrom -1");
        assertRefused(UrmaStatus.EINVAL, () -> transfer.post(Opcode.SEND, upTo(1), upTo(1), 1))
                .hasMessageContaining("SEND");

        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(transfer.isInProgress()).isFalse();
        assertThat(transfer.post(Opcode.WRITE, new int[] {49}, new int[] {99}, 1))
                .isTrue();
        assertThat(onlyRecord(queue).isSuccess()).isTrue();
        assertThat(imported.home().firstDifference(new Payload(1), 99 * BLOCK, 49 * BLOCK, BLOCK))
                .isEqualTo(-1);
    }

    private static void refuse(PreparedTransfer transfer, int[] local, int[] remote, String message) {
        assertRefused(UrmaStatus.EINVAL, () -> transfer.post(Opcode.WRITE, local, remote, 1))
                .hasMessageContaining(message);
    }

    /** S16.5: what no post could use is refused when the transfer is prepared. */
    @Rule("S16.5")
    @Test
    void badArgumentsAreRefusedWhenItIsPrepared() {
        var here = pair.initiator();
        var jfs = here.queue().jfs();
        var remote = pair.imported(SIZE).remote();
        var local = here.buffer(SIZE);
        var stranger = pair.anotherInitiator();
        var foreign = here.context()
                .importSegment(
                        stranger.asHome().segment(SIZE, Access.READ_WRITE).shared());
        var datagrams = here.queue(JfsConfig.builder().mode(TransportMode.UM).build());

        refuse(
                () -> PreparedTransfer.of(jfs, List.of(remote), local, BLOCK, COUNT + 1),
                "more than the 100 whole blocks");
        refuse(() -> PreparedTransfer.of(jfs, List.of(remote), local, BLOCK, 0), "count is 0");
        refuse(() -> PreparedTransfer.of(jfs, List.of(remote), local, 0, 1), "blockLength is 0");
        refuse(() -> PreparedTransfer.of(jfs, List.of(remote), local, SIZE + 1, 1), "holds no block");
        refuse(
                () -> PreparedTransfer.of(jfs, List.of(remote), local, Long.MAX_VALUE, 1),
                "more than the device's limit");
        refuse(() -> PreparedTransfer.of(jfs, List.of(), local, BLOCK, 1), "number of remote segments is 0");
        refuse(() -> PreparedTransfer.of(jfs, List.of(remote, foreign), local, BLOCK, 1), "of another home");
        refuse(() -> PreparedTransfer.of(jfs, List.of(remote), stranger.buffer(SIZE), BLOCK, 1), "belongs to");
        refuse(() -> PreparedTransfer.of(datagrams.jfs(), List.of(remote), local, BLOCK, 1), "mode UM");
        refuse(() -> TransferNotice.word(remote, 4), "not a multiple of 8");
        refuse(() -> TransferNotice.word(remote, SIZE), "lies outside");
        var transfer = PreparedTransfer.of(jfs, List.of(remote), local, BLOCK, COUNT);
        refuse(
                () -> transfer.post(Opcode.WRITE, upTo(1), upTo(1), 1, TransferNotice.word(foreign, 0), 1),
                "is not of the home of");
        assertThat(transfer.isInProgress()).isFalse();
    }

    /** S16.5: an import that may only be read takes no WRITE. */
    @Rule({"S16.5", "S7.8"})
    @Test
    void accessOfTheImportsDecides() {
        var imported = pair.imported(SIZE, Access.READ);
        var queue = pair.initiator().queue();
        var transfer = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE));

        assertRefused(UrmaStatus.ENOPERM, () -> transfer.post(Opcode.WRITE, upTo(1), upTo(1), 1))
                .hasMessageContaining("does not allow writes");

        assertThat(transfer.post(Opcode.READ, upTo(1), upTo(1), 2)).isTrue();
        assertThat(onlyRecord(queue).isSuccess()).isTrue();
    }
}
