package io.urma4j.bench.compare.peer;

import io.urma4j.bench.Pinned;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Processes;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A C program of ours that starts both of its ends itself, and takes {@code WORK BYTES MILLIS CPU CPU PER_SECOND}. */
record RawProgram(String path) {
    static final Duration PATIENCE = Duration.ofSeconds(15);

    static RawProgram compiled(Toolchain toolchain, String source)
            throws PeerUnavailableException, IOException, InterruptedException {
        return new RawProgram(toolchain.compile("cc", source).toString());
    }

    Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        return Sample.parse(Processes.run(
                Processes.ANYWHERE,
                Map.of(),
                PATIENCE,
                List.of(
                        path,
                        task.work().name(),
                        String.valueOf(task.bytes()),
                        String.valueOf(about.toMillis()),
                        String.valueOf(Pinned.cpu(0)),
                        String.valueOf(Pinned.cpu(1)),
                        String.valueOf(task.perSecond()))));
    }
}
