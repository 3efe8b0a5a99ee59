package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.ErrorScope;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PreparedTransfer;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.TransferNotice;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §16: blocks that a post names by their numbers, as one work request. */
public abstract class PreparedTransferContract extends Contract {
    private static final int BLOCK = 64;
    private static final int COUNT = 100;
    private static final int SIZE = BLOCK * COUNT;
    private static final Duration MOMENT = Duration.ofMillis(20);

    private static final int FOR_EVER = 7; // rnrRetry

    protected PreparedTransferContract(String device) {
        super(device);
    }

    private PreparedTransfer prepared(SendSide queue, RemoteSegment remote, LocalSegment local) {
        return PreparedTransfer.of(queue.jfs(), List.of(remote), local, BLOCK, COUNT);
    }

    /** The only record that comes. */
    private static Outcome onlyRecord(SendSide queue) {
        Outcome only = queue.awaitCompletion();
        assertThat(queue.within(MOMENT)).as("records behind the only one").isEmpty();
        return only;
    }

    private static int[] upTo(int count) {
        return IntStream.range(0, count).toArray();
    }

    private static int[] shuffled(int count, SplittableRandom random) {
        int[] numbers = upTo(count);
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int kept = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = kept;
        }
        return numbers;
    }

    private static int[] anyOf(int count, int length, SplittableRandom random) {
        return random.ints(length, 0, count).toArray();
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

    // ---- the notice

    /** S16.3: a reader at the home that sees the word sees all blocks. */
    @Rule("S16.3")
    @Test
    void wordFollowsTheLastBlock() {
        var imported = pair.imported(SIZE);
        var flags = pair.imported(64);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(SIZE);
        var transfer = prepared(queue, imported.remote(), local);
        var random = Seed.randomFor("notified transfer");

        for (long round = 1; round <= Patience.amount(200, 20); round++) {
            Payload payload = new Payload(round);
            payload.fill(local.memory(), 0, 0, SIZE);
            int[] numbers = shuffled(COUNT, random);
            assertThat(transfer.post(
                            Opcode.WRITE, numbers, numbers, round, TransferNotice.word(flags.remote(), 8), round))
                    .isTrue();
            flags.home().awaitWord(8, round);
            assertThat(imported.home().firstDifference(payload, 0, 0, SIZE)).isEqualTo(-1);
            assertThat(onlyRecordOf(queue, round)).returns(Opcode.WRITE, Outcome::opcode);
        }
    }

    private static Outcome onlyRecordOf(SendSide queue, long userContext) {
        Outcome outcome = queue.awaitCompletion();
        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(userContext, Outcome::userContext)
                .returns((long) SIZE, Outcome::lengthBytes);
        return outcome;
    }

    /** S16.3: after the word of a READ, the home may overwrite the blocks. */
    @Rule("S16.3")
    @Test
    void homeMayOverwriteWhatWasReadAfterTheWord() {
        var imported = pair.imported(SIZE);
        var flags = pair.imported(64);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(SIZE);
        var transfer = prepared(queue, imported.remote(), local);

        for (long round = 1; round <= Patience.amount(100, 10); round++) {
            imported.home().fill(new Payload(round));
            assertThat(transfer.post(
                            Opcode.READ,
                            upTo(COUNT),
                            upTo(COUNT),
                            round,
                            TransferNotice.word(flags.remote(), 16),
                            -round))
                    .isTrue();
            flags.home().awaitWord(16, -round);
            imported.home().fill(new Payload(-1));
            assertThat(onlyRecordOf(queue, round)).returns(Opcode.READ, Outcome::opcode);
            assertThat(new Payload(round).firstDifference(local.memory(), 0, 0, SIZE))
                    .isEqualTo(-1);
        }
    }

    /** S16.3: a message with the value as immediate follows the last block. */
    @Rule("S16.3")
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void messageFollowsTheLastBlock(Opcode opcode) {
        var imported = pair.imported(SIZE);
        var receiver = pair.receiver(64);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(SIZE, new Payload(9));
        var transfer = prepared(queue, imported.remote(), local);
        var notice = TransferNotice.message(receiver.target());

        for (long round = 1; round <= Patience.amount(50, 10); round++) {
            receiver.receive(1, 64, round);
            assertThat(transfer.post(opcode, upTo(COUNT), upTo(COUNT), round, notice, 5000 + round))
                    .isTrue();

            assertThat(receiver.queue().next())
                    .returns(CompletionStatus.SUCCESS, Outcome::status)
                    .returns(opcode == Opcode.READ ? Opcode.SEND_IMM : Opcode.WRITE_IMM, Outcome::opcode)
                    .returns(round, Outcome::userContext)
                    .returns(OptionalLong.of(5000 + round), Outcome::immediate)
                    .returns(0L, Outcome::lengthBytes);
            if (opcode == Opcode.WRITE) {
                assertThat(imported.home().firstDifference(new Payload(9), 0, 0, SIZE))
                        .isEqualTo(-1);
            }
            assertThat(onlyRecordOf(queue, round)).returns(opcode, Outcome::opcode);
        }
        assertThat(queue.within(MOMENT)).isEmpty();
    }

    /** S16.3: connected Jetties move blocks too, and the message of a transfer goes to the bound peer. */
    @Rule({"S16.1", "S16.3"})
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void connectedJettyMovesBlocks(Opcode opcode) {
        var connection = pair.connection();
        var imported = pair.imported(SIZE);
        var buffer = pair.home().segment(64, Access.READ_WRITE);
        imported.home().fill(new Payload(1));
        var local = pair.initiator().buffer(SIZE, new Payload(2));
        var queue = connection.queue();
        var transfer = prepared(queue, imported.remote(), local);
        int[] numbers = shuffled(COUNT, Seed.randomFor("connected transfer"));
        connection.there().receive(buffer, 0, 64, 6);

        assertThat(transfer.post(opcode, numbers, numbers, 8, TransferNotice.message(null), 99))
                .isTrue();

        assertThat(connection.there().next())
                .returns(6L, Outcome::userContext)
                .returns(OptionalLong.of(99), Outcome::immediate);
        assertThat(onlyRecordOf(queue, 8).opcode()).isEqualTo(opcode);
        var moved = new Payload(opcode == Opcode.READ ? 1 : 2);
        assertThat(moved.firstDifference(local.memory(), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(imported.home().firstDifference(moved, 0, 0, SIZE)).isEqualTo(-1);
    }

    // ---- one at a time

    /** A transfer that waits for a receive work request of the home. */
    private record Waiting(
            SendSide queue,
            Pair.Imported imported,
            LocalSegment local,
            Pair.Receiver receiver,
            PreparedTransfer transfer) {}

    private Waiting waiting() {
        var imported = pair.imported(SIZE);
        var receiver = pair.receiver(64);
        var queue =
                pair.initiator().queue(JfsConfig.builder().rnrRetry(FOR_EVER).build());
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var transfer = prepared(queue, imported.remote(), local);
        assertThat(transfer.post(
                        Opcode.WRITE, upTo(COUNT), upTo(COUNT), 77, TransferNotice.message(receiver.target()), 1))
                .isTrue();
        return new Waiting(queue, imported, local, receiver, transfer);
    }

    /** S16.4: while a post is in progress, the next one is refused, and nothing that it names can be closed. */
    @Rule({"S16.4", "S16.7"})
    @Test
    void secondPostIsRefusedWhileOneIsInProgress() {
        var waiting = waiting();
        PreparedTransfer transfer = waiting.transfer();

        assertThat(transfer.isInProgress()).isTrue();
        assertRefused(UrmaStatus.EAGAIN, () -> transfer.post(Opcode.READ, upTo(1), upTo(1), 78))
                .hasMessageContaining("in progress");
        assertRefused(UrmaStatus.EAGAIN, transfer::close).hasMessageContaining("in progress");
        assertRefused(UrmaStatus.EAGAIN, waiting.local()::close);
        assertRefused(UrmaStatus.EAGAIN, waiting.imported().remote()::close);
        assertThat(waiting.queue().within(MOMENT)).isEmpty();

        waiting.receiver().receive(1, 64, 5);
        assertThat(waiting.receiver().queue().next().isSuccess()).isTrue();
        assertThat(onlyRecordOf(waiting.queue(), 77)).returns(Opcode.WRITE, Outcome::opcode);
        assertThat(transfer.isInProgress()).isFalse();
        assertThat(transfer.post(Opcode.READ, upTo(1), upTo(1), 79)).isTrue();
        assertThat(onlyRecord(waiting.queue()).userContext()).isEqualTo(79);
        transfer.close();
        transfer.close();
        waiting.local().close();
        waiting.imported().remote().close();
    }

    /** S16.4: two transfers of one queue are independent. */
    @Rule("S16.4")
    @Test
    void otherTransfersOfTheQueueGoOn() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        var first = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE, new Payload(1)));
        var second = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE, new Payload(2)));

        assertThat(first.post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 1)).isTrue();
        assertThat(second.post(Opcode.WRITE, upTo(50), upTo(50), 2)).isTrue();

        assertThat(queue.awaitCompletions(2))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L);
        assertThat(imported.home().firstDifference(new Payload(2), 0, 0, SIZE / 2))
                .isEqualTo(-1);
        assertThat(imported.home().firstDifference(new Payload(1), SIZE / 2, SIZE / 2, SIZE / 2))
                .isEqualTo(-1);
    }

    /** S16.4: a queue that fails ends the transfer once; it may be posted again when the queue is ready. */
    @Rule({"S16.4", "S6.8"})
    @Test
    void failedQueueEndsTheTransferOnce() {
        var waiting = waiting();
        var jfs = waiting.queue().jfs();

        jfs.modify(QueueState.ERROR);

        assertThat(waiting.queue().drainAndFlush())
                .singleElement()
                .returns(77L, SendSide.Result::userContext)
                .returns(CompletionStatus.WR_FLUSH_ERR, SendSide.Result::status);
        assertThat(waiting.transfer().isInProgress()).isFalse();
        jfs.modify(QueueState.RESET);
        jfs.modify(QueueState.READY);
        assertThat(waiting.transfer().post(Opcode.READ, upTo(3), upTo(3), 80)).isTrue();
        assertThat(onlyRecord(waiting.queue()))
                .returns(80L, Outcome::userContext)
                .returns(CompletionStatus.SUCCESS, Outcome::status);
    }

    /** S16.4: a transfer that a failed queue never started is returned by flush, once. */
    @Rule({"S16.4", "S6.7"})
    @Test
    void transferThatNeverStartedIsFlushed() {
        var imported = pair.imported(SIZE);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var transfer = prepared(queue, imported.remote(), local);
        queue.jfs().modify(QueueState.ERROR);

        assertThat(transfer.post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 5)).isTrue();

        assertThat(queue.drainAndFlush())
                .singleElement()
                .returns(5L, SendSide.Result::userContext)
                .returns(CompletionStatus.WR_UNHANDLED, SendSide.Result::status);
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(transfer.isInProgress()).isFalse();
        transfer.close();
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

    private static void refuse(ThrowingCallable call, String message) {
        assertRefused(UrmaStatus.EINVAL, call).hasMessageContaining(message);
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

    /** S16.7: a post is refused once the transfer, or what it names, is closed. */
    @Rule("S16.7")
    @Test
    void closedObjectsRefuseThePost() {
        var here = pair.initiator();
        var imported = pair.imported(SIZE);
        var queue = here.queue(JfsConfig.DEFAULT);
        var local = here.buffer(SIZE);
        var other = here.buffer(SIZE);
        var closed = prepared(queue, imported.remote(), local);
        var withoutLocal = prepared(queue, imported.remote(), other);
        var withoutRemote = prepared(queue, imported.remote(), local);
        var withoutQueue = prepared(queue, pair.imported(SIZE).remote(), local);

        closed.close();
        refuse(() -> closed.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        other.close();
        refuse(() -> withoutLocal.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        imported.remote().close();
        refuse(() -> withoutRemote.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        queue.jfs().close();
        refuse(() -> withoutQueue.post(Opcode.READ, upTo(1), upTo(1), 1), "is closed");
        refuse(() -> prepared(queue, pair.imported(SIZE).remote(), local), "is closed");
        withoutQueue.close();
    }

    /** S16.7: a queue that is closed while a transfer is in progress ends it without a record. */
    @Rule({"S16.7", "S10.7"})
    @Test
    void closedQueueEndsTheTransfer() {
        var waiting = waiting();

        waiting.queue().jfs().close();

        assertThat(waiting.transfer().isInProgress()).isFalse();
        assertThat(waiting.queue().within(MOMENT)).isEmpty();
        waiting.transfer().close();
        waiting.imported().remote().close();
        waiting.local().close();
    }

    // ---- revocation

    /** S16.6: if a segment was revoked before, no block moves, also of the other segments. */
    @Rule("S16.6")
    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void revokedSegmentStopsTheTransferBeforeItsFirstBlock(Opcode opcode) {
        var first = pair.imported(SIZE);
        var second = pair.imported(SIZE);
        first.home().fill(new Payload(1));
        var local = pair.initiator().buffer(SIZE);
        var queue = pair.initiator().queue();
        var transfer =
                PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, BLOCK, 2 * COUNT);
        second.revoke();
        Patience.await("the revocation at the importer", second.remote()::isRevoked);

        assertThat(transfer.post(opcode, new int[] {0, 1, 2}, new int[] {5, 6, COUNT + 5}, 9))
                .isTrue();

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status)
                .returns(9L, Outcome::userContext);
        assertThat(queue.drainAndFlush()).isEmpty();
        assertThat(first.home().firstDifference(new Payload(1), 0, 0, SIZE)).isEqualTo(-1);
        assertThat(local.memory().mismatch(MemorySegment.ofArray(new byte[SIZE])))
                .isEqualTo(-1);
        assertThat(transfer.isInProgress()).isFalse();
    }

    /** S6.12, S16.6: in a queue whose failures are a target's own, the other segments of a failed transfer are served on. */
    @Rule({"S6.12", "S16.6"})
    @Test
    void otherSegmentsOfAFailedTransferAreServedOn() {
        var first = pair.imported(SIZE);
        var second = pair.imported(SIZE);
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var queue = pair.initiator()
                .queue(JfsConfig.builder().errorScope(ErrorScope.TARGET).build());
        var both = PreparedTransfer.of(queue.jfs(), List.of(first.remote(), second.remote()), local, BLOCK, 2 * COUNT);
        second.revoke();
        Patience.await("the revocation at the importer", second.remote()::isRevoked);

        assertThat(both.post(Opcode.WRITE, upTo(3), new int[] {0, COUNT, 1}, 1)).isTrue();
        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status)
                .returns(1L, Outcome::userContext);

        assertThat(prepared(queue, first.remote(), local).post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 2))
                .isTrue();
        assertThat(onlyRecordOf(queue, 2).opcode()).isEqualTo(Opcode.WRITE);
        assertThat(first.home().firstDifference(new Payload(1), 0, 0, SIZE)).isEqualTo(-1);
    }

    /** S16.6: a revocation during transfers ends one of them with a failure, and no byte moves afterwards. */
    @Rule({"S16.6", "S7.9"})
    @Test
    void revocationMidwayEndsTheTransferOnce() throws Exception {
        int blocks = Patience.amount(20_000, 2_000);
        var imported = pair.imported(SIZE);
        var local = pair.initiator().buffer(SIZE, new Payload(1));
        var queue = pair.initiator().queue();
        var transfer = prepared(queue, imported.remote(), local);
        int[] numbers = IntStream.range(0, blocks).map(i -> i * 7 % COUNT).toArray();
        Thread revoking = Thread.ofPlatform().start(() -> {
            Patience.await("the first block", () -> !imported.home().isZero(0, BLOCK));
            imported.revoke();
            imported.home().put(0, new byte[SIZE]);
        });

        Outcome last;
        do {
            assertThat(transfer.post(Opcode.WRITE, numbers, numbers, 3)).isTrue();
            last = queue.awaitCompletion();
            assertThat(last.userContext()).isEqualTo(3);
        } while (last.isSuccess());

        assertThat(last.status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(queue.drainAndFlush()).isEmpty();
        revoking.join();
        assertThat(queue.within(MOMENT)).isEmpty();
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(transfer.isInProgress()).isFalse();
    }

    /** S12.4: a home that is killed in the middle of a transfer ends it once, long before the timeout of the queue. */
    @Rule({"S12.4", "S16.1"})
    @Test
    void deathOfTheHomeEndsTheTransferOnce() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var imported = pair.imported(SIZE);
        var queue = pair.initiator()
                .queue(JfsConfig.builder()
                        .timeout(Patience.LIMIT.multipliedBy(3))
                        .build());
        var transfer = prepared(queue, imported.remote(), pair.initiator().buffer(SIZE, new Payload(1)));
        int[] numbers =
                IntStream.range(0, 300_000).map(i -> i % COUNT * 7 % COUNT).toArray();
        Thread posting = Thread.ofPlatform().start(() -> transfer.post(Opcode.WRITE, numbers, numbers, 78));
        Patience.await("the first block", () -> !imported.home().isZero(0, BLOCK));

        processOfHome().kill();

        posting.join();
        Outcome only = queue.awaitCompletion();
        assertThat(only.userContext()).isEqualTo(78);
        if (!only.isSuccess()) { // a mapping outlives its home, so the transfer may succeed
            assertThat(queue.drainAndFlush()).isEmpty();
        }
        assertThat(queue.within(MOMENT)).isEmpty();
        assertThat(transfer.isInProgress()).isFalse();
    }

    // ---- device memory

    private boolean takesDeviceMemory() {
        return pair.device().attributes().capabilities().deviceMemory();
    }

    private LocalSegment onDevice(DeviceMemory memory) {
        return pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
    }

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

    /** S16.3, S16.8: memory that is freed fails the transfer that names it, which gives no notice then. */
    @Rule({"S16.3", "S16.8", "S15.22"})
    @Test
    void failedTransferGivesNoNotice() {
        assumeTrue(takesDeviceMemory(), "the device takes no device memory");
        var imported = pair.imported(SIZE);
        var flags = pair.imported(64);
        DeviceMemory memory = DevicesUnderTest.allocate(pair.urma(), SIZE);
        var queue = pair.initiator().queue();
        var transfer = prepared(queue, imported.remote(), onDevice(memory));
        memory.closeByForce();

        assertThat(transfer.post(Opcode.WRITE, upTo(COUNT), upTo(COUNT), 4, TransferNotice.word(flags.remote(), 0), 1))
                .isTrue();

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.LOC_ACCESS_ERR, Outcome::status)
                .returns(4L, Outcome::userContext);
        assertThat(queue.drainAndFlush()).isEmpty();
        assertThat(imported.home().isZero(0, SIZE)).isTrue();
        assertThat(flags.home().word(0)).isZero();
    }
}
