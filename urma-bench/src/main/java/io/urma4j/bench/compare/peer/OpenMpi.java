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
import io.urma4j.bench.compare.Work;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Open MPI between two ranks of this host: one-sided, and messages. */
public final class OpenMpi implements Peer {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final String name;
    private final List<String> components;
    private String program = "";

    private OpenMpi(String name, String... components) {
        this.name = name;
        this.components = List.of(components);
    }

    /** Its own shared memory. */
    public static OpenMpi ownMemory() {
        return new OpenMpi(Names.OPEN_MPI, "--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--mca", "osc", "sm");
    }

    /** Over UCX. */
    public static OpenMpi ucx() {
        return new OpenMpi(
                Names.OPEN_MPI_UCX,
                "--mca",
                "pml",
                "ucx",
                "--mca",
                "osc",
                "ucx",
                // it would refuse, since there is no network card that UCX knows
                "--mca",
                "pml_ucx_tls",
                "any",
                "--mca",
                "pml_ucx_devices",
                "any",
                "-x",
                "UCX_TLS=self,posix,cma");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException {
        toolchain.need("mpirun", "openmpi-bin");
        toolchain.need("mpicc", "libopenmpi-dev");
        program = compile(toolchain).toString();
        return toolchain.packageVersion("openmpi-bin") + ", " + String.join(" ", components);
    }

    /** The package of {@code mpirun} may have the compiler as well, but not the header. */
    private static Path compile(Toolchain toolchain)
            throws PeerUnavailableException, IOException, InterruptedException {
        try {
            return toolchain.compile("mpicc", "open_mpi");
        } catch (PeerUnavailableException e) {
            toolchain.install("what mpicc needs for open_mpi.c", "libopenmpi-dev");
            return toolchain.compile("mpicc", "open_mpi");
        }
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.MEMORY
                && task.work() != Work.WAKE
                && task.work() != Work.AT_RATE
                && task.work() != Work.CONNECT;
    }

    /** Each turn has a short one before it. */
    @Override
    public void warmUp(Task task, Duration turn) {}

    @Override
    public long warmUpMillis(Task task, Duration turn) {
        return 0;
    }

    @Override
    public long overheadMillis(Task task) {
        return 600; // until mpirun has started two
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"));
        // its files go where they are removed even when it is killed
        for (String folder : List.of("orte_tmpdir_base", "btl_vader_backing_directory", "osc_sm_backing_directory")) {
            command.addAll(List.of("--mca", folder, Processes.scratch().toString()));
        }
        command.addAll(components);
        command.addAll(List.of(
                program,
                task.work().name(),
                String.valueOf(task.bytes()),
                String.valueOf(about.toMillis()),
                String.valueOf(Pinned.cpu(0)),
                String.valueOf(Pinned.cpu(1))));
        return Sample.parse(Processes.run(Processes.ANYWHERE, Map.of(), PATIENCE, command));
    }
}
