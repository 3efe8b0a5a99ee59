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

/** What UDP sockets can do in C: datagrams to and fro, and streams one way. */
public final class RawNetwork implements Peer {
    private static final int LONGEST_OF_STEPS = 1 << 20;

    private final String name;
    private final String source;
    private final String packets;
    private final boolean hasSteps;
    private @Nullable RawProgram program;

    private RawNetwork(String name, String source, String packets, boolean hasSteps) {
        this.name = name;
        this.source = source;
        this.packets = packets;
        this.hasSteps = hasSteps;
    }

    /**
     * The least: datagrams of 64 bytes to and fro, and datagrams of 4 KiB with GSO and GRO one way. Nothing is acknowledged,
     * repeated or put together.
     */
    public static RawNetwork bare() {
        return new RawNetwork(Names.RAW_UDP, "raw_network", "4 KiB datagrams where more than that is sent", false);
    }

    /**
     * The steps that udma makes for each packet: a header, a CRC at both ends, the payload from the source's own memory and to
     * its place, acknowledgements. What urma4j takes more than this is its own machinery.
     */
    public static RawNetwork steps() {
        return new RawNetwork(
                Names.STEPS,
                "stepped_network",
                "packets of 61440 bytes, or of URMA_UDMA_MTU, with header and CRC, gathered or spliced, copied once, acknowledged",
                true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        program = RawProgram.compiled(toolchain, source);
        return "Linux " + System.getProperty("os.version") + ", " + packets;
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.NETWORK
                && switch (task.work()) {
                    case READ, FADD, CAS, SEND_LATENCY, WRITE_SEEN -> task.bytes() <= 1024;
                    case AT_RATE -> !hasSteps && task.bytes() <= 1024;
                    case WRITE_RATE, READ_RATE, SEND_RATE -> !hasSteps || task.bytes() <= LONGEST_OF_STEPS;
                    case WAKE, CONNECT -> false;
                };
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        return Objects.requireNonNull(program).measure(task, about);
    }
}
