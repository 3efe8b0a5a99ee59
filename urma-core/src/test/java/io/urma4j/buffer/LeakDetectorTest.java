package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S14.21: handles that are lost without having been closed. */
class LeakDetectorTest {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(64);
    private final List<LeakRecord> leaks = new CopyOnWriteArrayList<>();

    @AfterEach
    void free() {
        arena.close();
    }

    private LeakDetector detector(LeakLevel level) {
        return LeakDetector.of(level, leaks::add);
    }

    private static void awaitLost(LeakDetector detector, int count) {
        Awaitility.await().until(() -> {
            System.gc();
            return detector.lost() == count;
        });
    }

    private void lose(LeakDetector detector) {
        RdmaBuf.wrap(memory, detector).view().putByte(0, (byte) 1);
    }

    @Test
    void lostHandleIsReportedWithTheStackThatAcquiredIt() {
        LeakDetector detector = detector(LeakLevel.ALL);
        lose(detector);

        awaitLost(detector, 1);

        assertThat(leaks).hasSize(1);
        assertThat(leaks.getFirst().lengthBytes()).isEqualTo(64);
        assertThat(leaks.getFirst().buffer()).startsWith("buffer of 64 bytes");
        assertThat(leaks.getFirst().age()).isPositive();
        assertThat(leaks.getFirst().acquired().orElseThrow().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("lose"));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(detector::assertNoLeaks)
                .withMessageContaining("1 handles were lost, 0 are open");
    }

    @Test
    void aListenerThatThrowsKeepsNoBufferAndFailsNoCaller() {
        LeakDetector detector = LeakDetector.of(LeakLevel.ALL, _ -> {
            throw new IllegalStateException("of a test");
        });
        AtomicInteger returned = new AtomicInteger();
        RdmaBuf kept = loseOneOfTwo(new Block(memory, List.of(), _ -> returned.incrementAndGet()), detector);

        awaitLost(detector, 1);

        kept.close();
        assertThat(returned).hasValue(1);
    }

    @Test
    void lostHandleIsClosed() {
        LeakDetector detector = detector(LeakLevel.ALL);
        AtomicInteger returned = new AtomicInteger();
        RdmaBuf kept = loseOneOfTwo(new Block(memory, List.of(), _ -> returned.incrementAndGet()), detector);

        awaitLost(detector, 1);

        assertThat(returned).hasValue(0);
        kept.close();
        assertThat(returned).hasValue(1);
    }

    private static RdmaBuf loseOneOfTwo(Block block, LeakDetector detector) {
        return RdmaBuf.lease(block, 0, 64, detector).retain();
    }

    @Test
    void closedHandleIsNeverReported() {
        LeakDetector detector = detector(LeakLevel.ALL);
        for (int i = 0; i < 100; i++) {
            RdmaBuf.wrap(memory, detector).close();
        }
        lose(detector);
        awaitLost(detector, 1);
        assertThat(leaks).hasSize(1);
    }

    @Test
    void viewKeepsItsHandleFromBeingLost() {
        LeakDetector detector = detector(LeakLevel.ALL);
        BufView view = RdmaBuf.wrap(memory, detector).view();
        lose(detector);

        awaitLost(detector, 1); // the other one

        assertThat(view.isValid()).isTrue();
    }

    @Test
    void openHandleIsALeakAtTheEndOfATest() {
        LeakDetector detector = detector(LeakLevel.ALL);
        detector.assertNoLeaks();
        try (RdmaBuf buf = RdmaBuf.wrap(memory, detector)) {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(detector::assertNoLeaks)
                    .withMessageContaining("0 handles were lost, 1 are open")
                    .withMessageContaining(buf.toString())
                    .withMessageContaining("openHandleIsALeakAtTheEndOfATest");
        }
        detector.assertNoLeaks();
    }

    @Test
    void samplesAreAFewOfAll() {
        for (LeakLevel level : List.of(LeakLevel.SAMPLED, LeakLevel.STACK)) {
            LeakDetector detector = detector(level);
            List<RdmaBuf> handles = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                handles.add(RdmaBuf.wrap(memory, detector));
            }
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(detector::assertNoLeaks)
                    .satisfies(failure -> {
                        long tracked = failure.getMessage()
                                .lines()
                                .filter(line -> line.startsWith("buffer of"))
                                .count();
                        assertThat(tracked).isBetween(50L, 350L); // 156 expected
                        assertThat(failure.getMessage().contains("acquired here"))
                                .isEqualTo(level == LeakLevel.STACK);
                    });
            handles.forEach(RdmaBuf::close);
            detector.assertNoLeaks();
        }
    }

    @Test
    void nothingIsTrackedWhenOff() {
        RdmaBuf buf = RdmaBuf.wrap(memory);
        LeakDetector.OFF.assertNoLeaks();
        assertThat(LeakDetector.OFF.level()).isEqualTo(LeakLevel.OFF);
        buf.close();
    }
}
