package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The least that a UDP socket can do, in C: datagrams of 64 bytes to and fro, and datagrams of 4 KiB with GSO and GRO one
 * way. Nothing is acknowledged, repeated or put together.
 */
public final class RawNetwork implements Peer {
    private @Nullable RawProgram program;

    @Override
    public String name() {
        return Names.RAW_UDP;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        program = RawProgram.compiled(toolchain, "raw_network");
        return "Linux " + System.getProperty("os.version") + ", 4 KiB datagrams where more than that is sent";
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.NETWORK
                && switch (task.work()) {
                    case READ, FADD, CAS, SEND_LATENCY, AT_RATE, WRITE_SEEN -> task.bytes() <= 1024;
                    case WRITE_RATE, READ_RATE, SEND_RATE -> true;
                    case WAKE, CONNECT -> false;
                };
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        return Objects.requireNonNull(program).measure(task, about);
    }
}
