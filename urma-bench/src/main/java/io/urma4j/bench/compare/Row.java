package io.urma4j.bench.compare;

import java.util.List;
import java.util.Optional;

/**
 * What is compared.
 *
 * @param name for {@code --only}
 * @param targets of those peers that have one
 * @param isQuick whether {@code --quick} has it
 */
public record Row(String name, Task task, Metric metric, List<Target> targets, boolean isQuick) {
    Optional<Target> target(String peer) {
        return targets.stream().filter(target -> target.peer().equals(peer)).findFirst();
    }

    Row with(Task other) {
        return new Row(name, other, metric, targets, isQuick);
    }

    String words() {
        return task.words() + (metric == Metric.MEAN ? "" : ", " + metric.words());
    }
}
