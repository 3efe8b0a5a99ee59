package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of a device's thread. */
class TaskQueueTest {
    private final TaskQueue queue = new TaskQueue();

    private static final class Numbered extends Task {
        final int thread;
        final int number;

        Numbered(int thread, int number) {
            this.thread = thread;
            this.number = number;
        }

        @Override
        void run() {}

        @Override
        void refuse() {}
    }

    private static List<Numbered> all(Task oldest) {
        List<Numbered> all = new ArrayList<>();
        for (Task task = oldest; task != null; task = task.next) {
            all.add((Numbered) task);
        }
        return all;
    }

    @Test
    void tasksOfEachThreadKeepTheirOrderAndNoneIsLost() throws Exception {
        int threads = 4;
        int count = 20_000;
        List<Thread> adding = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            adding.add(Thread.ofPlatform().start(() -> {
                for (int number = 0; number < count; number++) {
                    assertThat(queue.add(new Numbered(thread, number))).isTrue();
                }
            }));
        }
        int[] next = new int[threads];
        for (int taken = 0; taken < threads * count; ) {
            for (Numbered task : all(queue.takeAll())) {
                assertThat(task.number).isEqualTo(next[task.thread]++);
                taken++;
            }
        }
        for (Thread thread : adding) {
            thread.join();
        }
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aClosedQueueRefuses() {
        assertThat(queue.add(new Numbered(0, 0))).isTrue();
        assertThat(queue.add(new Numbered(0, 1))).isTrue();
        assertThat(all(queue.close())).extracting(task -> task.number).containsExactly(0, 1);
        assertThat(queue.add(new Numbered(0, 2))).isFalse();
    }
}
