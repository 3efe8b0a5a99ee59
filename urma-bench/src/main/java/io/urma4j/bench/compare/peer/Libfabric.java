package io.urma4j.bench.compare.peer;

import io.urma4j.bench.Pinned;
import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Processes;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** libfabric, one of its providers, by a small program of ours. */
public final class Libfabric implements Peer {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Path HEADER = Path.of("/usr/include/rdma/fabric.h");

    private final String name;
    private final String provider;
    private final Reach reach;
    private String program = "";

    private Libfabric(String name, String provider, Reach reach) {
        this.name = name;
        this.provider = provider;
        this.reach = reach;
    }

    /** Datagrams, made reliable. */
    public static Libfabric udp() {
        return new Libfabric(Names.LIBFABRIC, "udp;ofi_rxd", Reach.NETWORK);
    }

    /** Streams, made messages. */
    public static Libfabric tcp() {
        return new Libfabric(Names.LIBFABRIC_TCP, "tcp;ofi_rxm", Reach.NETWORK);
    }

    /** Shared memory. */
    public static Libfabric memory() {
        return new Libfabric(Names.LIBFABRIC_SHM, "shm", Reach.MEMORY);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        toolchain.need(HEADER, "libfabric-dev");
        program = toolchain.compile("cc", "libfabric", "-lfabric").toString();
        if (reach == Reach.MEMORY) {
            Processes.atEnd(Libfabric::removeLeftovers);
        }
        return toolchain.packageVersion("libfabric-dev") + ", provider " + provider;
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == reach
                && switch (task.work()) {
                    case WRITE_RATE, READ, READ_RATE, SEND_LATENCY, SEND_RATE -> true;
                    case WRITE_SEEN, FADD, CAS, WAKE, AT_RATE, CONNECT -> false;
                };
    }

    @Override
    public long overheadMillis(Task task) {
        return 100;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        return Sample.parse(Processes.run(
                Processes.ANYWHERE,
                Map.of(),
                PATIENCE,
                List.of(
                        program,
                        provider,
                        task.work().name(),
                        String.valueOf(task.bytes()),
                        String.valueOf(about.toMillis()),
                        String.valueOf(Pinned.cpu(0)),
                        String.valueOf(Pinned.cpu(1)))));
    }

    @Override
    public void close() {
        if (reach == Reach.MEMORY) {
            removeLeftovers();
        }
    }

    /** Its regions are named by process, as 4711:0:0, and stay when that was killed. */
    private static void removeLeftovers() {
        try (Stream<Path> all = Files.list(Path.of("/dev/shm"))) {
            for (Path file : all.toList()) {
                String[] parts = file.getFileName().toString().split(":", -1);
                if (parts.length == 3
                        && parts[0].matches("\\d+")
                        && ProcessHandle.of(Long.parseLong(parts[0])).isEmpty()) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            System.err.println("compare: cannot remove what libfabric has left in /dev/shm: " + e.getMessage());
        }
    }
}
