package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Processes;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.bench.compare.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The least that two processes with shared memory can do, in C: stores, memcpy, atomics, and a ring with two copies. */
public final class RawMemory implements Peer {
    private final String name;
    private final boolean sleeps;
    private @Nullable RawProgram program;

    private RawMemory(String name, boolean sleeps) {
        this.name = name;
        this.sleeps = sleeps;
    }

    /** Looking all the time. */
    public static RawMemory awake() {
        return new RawMemory(Names.RAW_MEMORY, false);
    }

    /** Asleep: an eventfd, a thread in epoll, and a second one that the first wakes. */
    public static RawMemory asleep() {
        return new RawMemory(Names.BARE_WAKE, true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        program = RawProgram.compiled(toolchain, "raw_memory");
        return Processes.run(Processes.ANYWHERE, Map.of(), RawProgram.PATIENCE, List.of("cc", "--version"))
                .lines()
                .findFirst()
                .orElse("a C compiler");
    }

    @Override
    public boolean can(Task task) {
        return (task.reach() == Reach.MEMORY || task.isStreamOfSockets())
                && (task.work() == Work.WAKE) == sleeps
                && task.work() != Work.CONNECT;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        return Objects.requireNonNull(program).measure(task, about);
    }
}
