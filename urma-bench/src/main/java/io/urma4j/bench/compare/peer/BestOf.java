package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A peer that can be set up in several ways: the warm-up tries all, and the best one plays. */
abstract class BestOf implements Peer {
    /** One way. */
    record Variant(String name, JvmPeer peer) {}

    private static final Duration TRIAL = Duration.ofMillis(100);

    private final String name;
    private final String project;
    private final List<Variant> variants;
    private final Map<Task, Variant> best = new HashMap<>();

    /**
     * A peer.
     *
     * @param project in {@code urma-bench/peers}; empty for a participant of this module
     */
    BestOf(String name, String project, List<Variant> variants) {
        this.name = name;
        this.project = project;
        this.variants = variants;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        String classPath = project.isEmpty() ? System.getProperty("java.class.path") : toolchain.jvm(project);
        String version = "";
        for (Variant variant : variants) {
            version = variant.peer().begin(classPath);
        }
        return version
                + (variants.size() > 1 ? ", the best of: " : ", ")
                + variants.stream().map(Variant::name).collect(Collectors.joining(", "));
    }

    /** Whether this way may be tried. */
    boolean isOfUse(Variant variant, Task task) {
        return true;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException {
        Variant chosen = best.get(task);
        if (chosen == null) {
            throw new IllegalStateException(name + " has not warmed up");
        }
        return chosen.peer().measure(task, about);
    }

    @Override
    public void warmUp(Task task, Duration turn) throws IOException, InterruptedException {
        double least = Double.POSITIVE_INFINITY;
        List<String> failures = new ArrayList<>();
        List<Variant> tried =
                variants.stream().filter(variant -> isOfUse(variant, task)).toList();
        for (Variant variant : tried) {
            try {
                variant.peer().warmUp(task, turn);
                if (tried.size() == 1) {
                    best.put(task, variant);
                    return;
                }
                double nanos = variant.peer().measure(task, TRIAL).nanos(Metric.MEAN);
                if (nanos < least) {
                    least = nanos;
                    best.put(task, variant);
                }
            } catch (IOException e) {
                failures.add(variant.name() + ": " + e.getMessage());
            }
        }
        if (failures.size() == tried.size()) {
            throw new IOException(String.join("; ", failures));
        }
        Variant chosen = best.get(task);
        if (chosen != null) {
            System.err.printf("compare: %s, %s: the best is %s%n", title(), task.words(), chosen.name());
        }
    }

    @Override
    public long warmUpMillis(Task task, Duration turn) {
        return variants.size() * (JvmPeer.warmUpMillis(task, turn) + TRIAL.toMillis());
    }

    @Override
    public void close() {
        variants.forEach(variant -> variant.peer().close());
    }
}
