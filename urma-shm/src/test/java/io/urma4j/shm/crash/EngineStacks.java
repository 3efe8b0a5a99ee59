package io.urma4j.shm.crash;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What the engines of a process are doing: for failures that say no more than that a peer did not answer. */
final class EngineStacks {
    private EngineStacks() {}

    static String ofThisProcess() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().startsWith("urma-"))
                .map(entry -> entry.getKey().getName() + ": "
                        + Arrays.stream(entry.getValue())
                                .map(StackTraceElement::toString)
                                .collect(Collectors.joining(" < ")))
                .collect(Collectors.joining("; "));
    }
}
