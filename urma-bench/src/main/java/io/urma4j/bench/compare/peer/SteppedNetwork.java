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
 * The steps that udma makes for each packet, in C: a header, a CRC at both ends, the payload from the source's own memory and
 * to its place, acknowledgements. What urma4j takes more than this is its own machinery.
 */
public final class SteppedNetwork implements Peer {
    private @Nullable RawProgram program;

    @Override
    public String name() {
        return Names.STEPS;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        program = RawProgram.compiled(toolchain, "stepped_network");
        return "Linux " + System.getProperty("os.version")
                + ", packets of 61440 bytes with header and CRC, gathered or spliced, copied once, acknowledged";
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.NETWORK
                && switch (task.work()) {
                    case READ, FADD, CAS, SEND_LATENCY, WRITE_SEEN -> task.bytes() <= 1024;
                    case WRITE_RATE, READ_RATE, SEND_RATE -> task.bytes() <= 1 << 20;
                    case AT_RATE, WAKE, CONNECT -> false;
                };
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        return Objects.requireNonNull(program).measure(task, about);
    }
}
