package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.TransferNotice;
import io.urma4j.peer.DeviceMemory;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SEMANTICS §16: the notice that follows the blocks of a transfer, as a word or as a message. */
public abstract class TransferNoticesContract extends PreparingContract {
    protected TransferNoticesContract(String device) {
        super(device);
    }

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
