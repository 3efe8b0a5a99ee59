package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.Revocation;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * SEMANTICS §15: a revocation of device memory is complete once the copies in progress have ended. An importer adds to a counter
 * there as fast as it can: each atomic takes two copies.
 */
public abstract class CopiesInProgressContract extends Contract {
    private static final int LENGTH = 4096;
    private static final long COUNTER = 8;
    private static final int MANY = 1_000;

    private final Arena arena = Arena.ofAuto();
    private DeviceMemory memory;

    protected CopiesInProgressContract(String device) {
        super(device);
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().deviceMemory(), "the device takes no device memory");
        memory = DevicesUnderTest.allocate(pair.urma(), LENGTH);
        memory.fill(0, LENGTH, (byte) 0);
    }

    private LocalSegment registered() {
        return pair.initiator().context().register(memory, SegmentConfig.of(Access.READ_WRITE_ATOMIC));
    }

    private static SharedSegment shared(LocalSegment segment) {
        return new SharedSegment(segment.descriptor(), segment.token());
    }

    private long counter() {
        MemorySegment word = arena.allocate(JAVA_LONG);
        memory.copyTo(COUNTER, word);
        return word.get(JAVA_LONG, 0);
    }

    /** The importer adds until the revocation stops it. */
    private Thread adding(HomeImport importer) {
        long before = counter();
        Thread adding = Thread.ofVirtual().start(() -> {
            try {
                importer.addOnes(COUNTER, MANY);
            } catch (AssertionError | RuntimeException e) {
                // revoked: its queue takes no request any more
            }
        });
        Patience.await("atomics of the importer", () -> counter() > before);
        return adding;
    }

    private void assertNothingMovesFromNowOn() throws InterruptedException {
        long at = counter();
        TimeUnit.MILLISECONDS.sleep(2);
        assertThat(counter()).isEqualTo(at);
    }

    /** S7.5, S15.46: a rotation of the token. */
    @Rule({"S7.5", "S15.46"})
    @Test
    void noByteMovesAfterARotation() throws Exception {
        LocalSegment segment = registered();
        for (int round = 0; round < Patience.amount(20, 5); round++) {
            HomeImport importer = pair.home().importSegment(shared(segment));
            Thread adding = adding(importer);

            assertThat(segment.rotateToken(Token.of(~segment.token().value()), Patience.LIMIT))
                    .isEqualTo(Revocation.COMPLETED);

            assertNothingMovesFromNowOn();
            adding.join();
            importer.close();
        }
    }

    /** S8.11, S15.46: a message of another importer. */
    @Rule({"S8.11", "S15.46"})
    @Test
    void noByteMovesAfterTheRecordOfAnInvalidation() throws Exception {
        Home home = pair.initiator().asHome();
        HomeQueue receiver =
                home.receiver(JfrConfig.builder().allowInvalidate(true).build(), JfcConfig.DEFAULT.depth());
        HomeSegment buffer = home.segment(LENGTH, Access.READ_WRITE);
        Initiator sender = pair.anotherInitiator();
        var target = sender.context().importJetty(receiver.shared());
        SendSide queue = sender.queue();
        for (int round = 0; round < Patience.amount(20, 5); round++) {
            LocalSegment segment = registered();
            HomeImport importer = pair.home().importSegment(shared(segment));
            sender.context().importSegment(shared(segment));
            receiver.receive(buffer, 0, 64, round);
            Thread adding = adding(importer);

            int tokenId = segment.descriptor().tokenId();
            assertThat(queue.jfs()
                            .send(
                                    Opcode.SEND_INVALIDATE,
                                    target,
                                    queue.scratch(),
                                    0,
                                    8,
                                    tokenId,
                                    round,
                                    PostFlags.DEFAULT))
                    .isTrue();
            assertThat(receiver.next()).matches(Outcome::isSuccess).returns(Opcode.SEND_INVALIDATE, Outcome::opcode);

            assertNothingMovesFromNowOn();
            assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
            adding.join();
            importer.close();
            segment.close();
        }
    }
}
