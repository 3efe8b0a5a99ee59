package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoreFlagTest {
    private static final long ALL_STORES_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long ONE_POST_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final StoreFlag flag = new StoreFlag();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong posted = new AtomicLong();

    /** One thread of a connection takes the flag again and again, while the other one stores. */
    @Test
    void noStoreIsLostBesideAPost() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread posting = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                if (flag.take()) {
                    posted.set(stored.get());
                }
            }
        });
        try {
            long began = System.nanoTime();
            for (long i = 1; System.nanoTime() - began < ALL_STORES_NANOS; i++) {
                stored.set(i);
                flag.set();
                assertThat(isPosted(i)).as("store %s is posted", i).isTrue();
            }
        } finally {
            isOver.set(true);
            posting.join();
        }
        assertThat(posted).hasPositiveValue();
    }

    private boolean isPosted(long last) {
        long began = System.nanoTime();
        while (posted.get() != last) {
            if (System.nanoTime() - began > ONE_POST_NANOS) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }
}
