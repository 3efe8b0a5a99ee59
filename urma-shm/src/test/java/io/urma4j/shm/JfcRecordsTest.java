package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.JfcConfig;
import io.urma4j.spi.CompletionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What queues that are closed leave in their JFC. */
@Timeout(60)
class JfcRecordsTest {
    private static final int DEPTH = 64;
    private static final int CLOSED = 200;
    private static final int ROUNDS = 50;
    private static final long NONE = -1;

    private static JfcRecords records(boolean lockFree) {
        return new JfcRecords("JFC", new JfcConfig(DEPTH, lockFree), new Demand(() -> {}), () -> {}, () -> {});
    }

    private static void push(JfcRecords records, int index, long userContext) {
        long provenance = JfcRecords.provenance(index, userContext);
        if (records.isLockFree()) {
            records.pushOwned(records.owned(), 0, userContext, 0, provenance);
        } else {
            records.lock().acquire();
            records.push(0, userContext, 0, provenance);
            records.lock().release();
        }
    }

    private static List<Long> polled(JfcRecords records) {
        long[] words = new long[DEPTH * CompletionRecord.WORDS];
        int count = records.take(words, DEPTH);
        return LongStream.range(0, count)
                .map(record -> words[(int) record * CompletionRecord.WORDS + CompletionRecord.USER_CONTEXT])
                .boxed()
                .toList();
    }

    /** S10.7: and the numbers that mark them are used again, or a JFC would grow with each queue of its life. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recordsOfAClosedQueueAreDiscardedAndItsNumberIsUsedAgain(boolean lockFree) {
        JfcRecords records = records(lockFree);
        int stays = records.attach(() -> {});
        for (int queue = 0; queue < 100; queue++) {
            int index = records.attach(() -> {});
            push(records, index, 1);
            push(records, stays, 2);
            push(records, index, 3);

            records.detach(index);

            assertThat(polled(records)).containsExactly(2L);
            assertThat(index).isEqualTo(1);
        }
    }

    /** S10.5, S10.7: records of a closed queue, which were not polled meanwhile, take no place. */
    @Test
    void aJfcIsNotFullOfRecordsOfClosedQueues() {
        JfcRecords records = records(true);
        int closed = records.attach(() -> {});
        int stays = records.attach(() -> {});
        for (int i = 0; i < DEPTH; i++) {
            push(records, closed, i);
        }
        records.detach(closed);

        push(records, stays, 7);

        assertThat(records.isValid()).isTrue();
        assertThat(polled(records)).containsExactly(7L);
    }

    /** S13.1: another thread closes queues of a lock-free JFC while its owner posts and polls. */
    @Test
    void aCloseByAnotherThreadDisturbsNoPoller() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            JfcRecords records = records(true);
            int stays = records.attach(() -> {});
            int[] closed = IntStream.range(0, CLOSED)
                    .map(_ -> records.attach(() -> {}))
                    .toArray();
            Thread closes = Thread.ofPlatform().start(() -> IntStream.of(closed).forEach(records::detach));
            List<Long> seen = new ArrayList<>();
            long posted = 0;
            do {
                for (int i = 0; i < DEPTH / 4; i++) {
                    push(records, closed[(int) (posted % CLOSED)], NONE);
                    push(records, stays, posted++);
                }
                seen.addAll(polled(records));
            } while (closes.isAlive());
            closes.join();
            seen.addAll(polled(records));

            seen.removeIf(context -> context == NONE);
            assertThat(seen).isEqualTo(LongStream.range(0, posted).boxed().toList());
        }
    }
}
