package io.urma4j.tck;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Predicate;

/** Takes records out of one JFC, with deadlines. For one thread at a time. */
public final class Poller {
    private final Jfc jfc;
    private final CompletionBatch batch = new CompletionBatch(64);
    private final Queue<Outcome> taken = new ArrayDeque<>();

    public Poller(Jfc jfc) {
        this.jfc = jfc;
    }

    /** The next record; fails when none comes within {@link Patience#LIMIT}. */
    public Outcome next() {
        return next(List.of());
    }

    private synchronized Outcome next(List<Outcome> before) {
        Patience.await("a record in " + jfc + (before.isEmpty() ? "" : " after " + before), this::fetch);
        return taken.remove();
    }

    /** The next {@code count} records. */
    public synchronized List<Outcome> next(int count) {
        List<Outcome> outcomes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            outcomes.add(next(outcomes));
        }
        return outcomes;
    }

    /** What comes within {@code time}, all of it; polls that long. */
    public synchronized List<Outcome> within(Duration time) {
        List<Outcome> outcomes = new ArrayList<>();
        Patience.until(time, () -> {
            while (fetch()) {
                outcomes.add(taken.remove());
            }
            return false;
        });
        return outcomes;
    }

    /** Records up to and with the one that ends an error drain (S6.6). */
    public List<Outcome> untilDrained() {
        return until(Outcome::lastOfErrorDrain);
    }

    /** Records up to and with the first of this kind. */
    public synchronized List<Outcome> until(Predicate<Outcome> last) {
        List<Outcome> outcomes = new ArrayList<>();
        do {
            outcomes.add(next(outcomes));
        } while (!last.test(outcomes.getLast()));
        return outcomes;
    }

    private boolean fetch() {
        if (taken.isEmpty()) {
            int count = jfc.poll(batch);
            for (int i = 0; i < count; i++) {
                taken.add(Outcome.of(batch, i));
            }
        }
        return !taken.isEmpty();
    }
}
