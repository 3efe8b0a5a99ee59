package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.LocalSegment;
import io.urma4j.PreparedTransfer;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceMemory;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What tests of prepared transfers begin with: blocks of one length, the segments that hold them, and the records of a queue. */
abstract class PreparingContract extends Contract {
    static final int BLOCK = 64;
    static final int COUNT = 100;
    static final int SIZE = BLOCK * COUNT;
    static final Duration MOMENT = Duration.ofMillis(20);

    PreparingContract(String device) {
        super(device);
    }

    final PreparedTransfer prepared(SendSide queue, RemoteSegment remote, LocalSegment local) {
        return PreparedTransfer.of(queue.jfs(), List.of(remote), local, BLOCK, COUNT);
    }

    final LocalSegment onDevice(DeviceMemory memory) {
        return pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
    }

    final boolean takesDeviceMemory() {
        return pair.device().attributes().capabilities().deviceMemory();
    }

    /** The only record that comes. */
    static Outcome onlyRecord(SendSide queue) {
        Outcome only = queue.awaitCompletion();
        assertThat(queue.within(MOMENT)).as("records behind the only one").isEmpty();
        return only;
    }

    static Outcome onlyRecordOf(SendSide queue, long userContext) {
        Outcome outcome = queue.awaitCompletion();
        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(userContext, Outcome::userContext)
                .returns((long) SIZE, Outcome::lengthBytes);
        return outcome;
    }

    static void refuse(ThrowingCallable call, String message) {
        assertRefused(UrmaStatus.EINVAL, call).hasMessageContaining(message);
    }

    static int[] upTo(int count) {
        return IntStream.range(0, count).toArray();
    }

    static int[] shuffled(int count, SplittableRandom random) {
        int[] numbers = upTo(count);
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int kept = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = kept;
        }
        return numbers;
    }
}
