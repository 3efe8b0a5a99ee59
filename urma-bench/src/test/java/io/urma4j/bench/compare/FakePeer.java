package io.urma4j.bench.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A peer that always takes the same time, or always fails. */
final class FakePeer implements Peer {
    final List<Task> measured = new ArrayList<>();
    private final String name;
    private final double nanos;

    /** Fails when {@code nanos} is not positive. */
    FakePeer(String name, double nanos) {
        this.name = name;
        this.nanos = nanos;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) {
        return "1";
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.MEMORY;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException {
        if (nanos <= 0) {
            throw new IOException(name + " has no wish to");
        }
        measured.add(task);
        return Sample.mean(nanos).with(Metric.P99, 2 * nanos);
    }
}
