package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallFrameTest {
    @Test
    void noTwoCallsShareAFrameEvenBeyondThePool() {
        var frames = IntStream.range(0, 200).mapToObj(i -> CallFrame.claim()).toList();
        try {
            Set<Long> places = new HashSet<>();
            frames.forEach(frame -> places.add(frame.state().address()));

            assertThat(places).hasSize(200);
        } finally {
            frames.forEach(CallFrame::release);
        }
    }

    @Test
    void releasedFrameIsLentAgain() {
        CallFrame first = CallFrame.claim();
        first.release();
        CallFrame second = CallFrame.claim();
        second.release();

        assertThat(second).isSameAs(first);
    }

    /** Each of many threads fails in its own way, and reads its own errno. */
    @Test
    void errnoIsOfTheCallThatFailed() throws InterruptedException {
        var wrong = new AtomicInteger();
        var threads = IntStream.range(0, 100)
                .mapToObj(i -> Thread.ofVirtual().start(() -> {
                    for (int round = 0; round < 200; round++) {
                        if (Fd.close(-1) != -Errno.EBADF || Fd.fcntl(STDERR, 1033, 1) != -Errno.EINVAL) {
                            wrong.incrementAndGet();
                        }
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).hasValue(0);
    }

    private static final Fd STDERR = Fd.own(2, "stderr");
}
