package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.socket.FaultStep.Role;
import io.urma4j.tck.Seed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process of one end is killed, or stopped for a while, at each step of a connection ({@link FaultStep}). What the other end
 * waits for ends, no byte is wrong, and connections to the next process are over rings. After a stop nothing has failed.
 *
 * <p>{@code verify} draws some of the steps, {@code -Durma.full=true} takes all, {@code -Durma.inputs=N} draws N, and
 * {@code -Durma.seed=…} repeats those of a run.
 */
@Timeout(1800)
class FaultsIT {
    private static final int FAULTS =
            Integer.getInteger("urma.inputs", Boolean.getBoolean("urma.full") ? Integer.MAX_VALUE : 8);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CONNECTIONS = 40; // which reach each step often enough
    private static final int CONNECTIONS_AFTERWARDS = 3;
    private static final int MAX_PASSES = 4;

    private record Fault(FaultStep step, String signal, int pass) {
        boolean isStop() {
            return signal.equals("STOP");
        }
    }

    @TempDir
    private Path classes;

    private Path directory;
    private LazyNode node;
    private UrmaSelectorProvider provider;
    private final List<Process> processes = new ArrayList<>();

    /** Whether the processes are as of two hosts. */
    boolean isOfNetwork() {
        return false;
    }

    @BeforeEach
    void open() throws IOException {
        for (Role role : Role.values()) {
            FaultStep.writeClasses(classes.resolve(role.name()), role);
        }
        directory = Files.createTempDirectory("urma-socket-test");
        node = FaultVictim.node(directory, isOfNetwork());
        provider = new UrmaSelectorProvider(node);
    }

    @AfterEach
    void close() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
        node.close();
        OverRings.delete(directory);
    }

    private List<Fault> faults(Role role) {
        var random = new Random(Seed.randomFor("faults of " + role).nextLong());
        List<Fault> all = new ArrayList<>();
        for (FaultStep step : FaultStep.values()) {
            if (step.role == role && step.isOf(isOfNetwork())) {
                int pass = step.isOfEachConnection() ? 1 + random.nextInt(MAX_PASSES) : 1;
                all.add(new Fault(step, "KILL", pass));
                all.add(new Fault(step, "STOP", pass));
            }
        }
        if (FAULTS < all.size()) {
            Collections.shuffle(all, random);
            return all.subList(0, FAULTS);
        }
        return all;
    }

    private Process start(Role role, int port, @Nullable Fault fault) throws IOException {
        List<String> command = JavaProcess.command(
                classes.resolve(role.name()) + ":" + System.getProperty("java.class.path"),
                FaultVictim.class,
                directory.toString(),
                Integer.toString(port),
                Integer.toString(fault == null ? CONNECTIONS_AFTERWARDS : CONNECTIONS));
        command.add(1, "-D" + OverRings.NETWORK + "=" + isOfNetwork());
        command.addAll(
                fault == null
                        ? List.of("-")
                        : List.of(fault.step().name(), fault.signal(), Integer.toString(fault.pass())));
        Process process = JavaProcess.start(command);
        processes.add(process);
        return process;
    }

    private static InetSocketAddress addressOf(Process server) throws IOException {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                Integer.parseInt(server.inputReader().readLine()));
    }

    /** Lets a process that has stopped go on after a while. Completes with whether it has stopped. */
    private static CompletableFuture<Boolean> revive(Process process) {
        return Background.call(() -> {
            while (process.isAlive()) {
                if (hasStopped(process)) {
                    Thread.sleep(400);
                    JavaProcess.signal(process.pid(), "CONT");
                    return true;
                }
                Thread.sleep(5);
            }
            return false;
        });
    }

    private static boolean hasStopped(Process process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/stat")).contains(") T ");
        } catch (IOException _) {
            return false; // it has ended
        }
    }

    @Test
    void aServerThatIsHitHarmsItsOwnConnectionsAlone() throws Exception {
        List<Fault> faults = faults(Role.SERVER);
        for (Fault fault : faults) {
            Process server = start(Role.SERVER, 0, fault);
            InetSocketAddress address = addressOf(server);
            if (fault.isStop()) {
                var stopped = revive(server);
                for (int i = 0; i < CONNECTIONS && !stopped.isDone(); i++) {
                    FaultVictim.exchange(provider, address);
                }
                assertThat(stopped).as("%s", fault).succeedsWithin(LONG).isEqualTo(true);
                for (int i = 0; i < CONNECTIONS_AFTERWARDS; i++) {
                    FaultVictim.exchange(provider, address);
                }
            } else {
                assertThat(exchangeUntilItFails(address)).as("%s", fault).isTrue();
                assertThat(server.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            }
            server.destroyForcibly();
        }
        assertThat(FaultVictim.exchange(provider, addressOf(start(Role.SERVER, 0, null))))
                .as("a connection to the next server is over rings")
                .isTrue();
        System.out.printf(
                "%s: %d faults of servers; %s%n", getClass().getSimpleName(), faults.size(), Seed.replayLine());
    }

    private boolean exchangeUntilItFails(InetSocketAddress address) {
        for (int i = 0; i < CONNECTIONS; i++) {
            try {
                FaultVictim.exchange(provider, address);
            } catch (IOException e) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aClientThatIsHitHarmsItsOwnConnectionsAlone() throws Exception {
        List<Fault> faults = faults(Role.CLIENT);
        AtomicInteger open = new AtomicInteger();
        try (ServerSocketChannel listener =
                provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Thread.ofVirtual().start(() -> serve(listener, open));
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            for (Fault fault : faults) {
                Process client = start(Role.CLIENT, port, fault);
                var stopped = revive(client);
                assertThat(client.waitFor(LONG.toSeconds(), TimeUnit.SECONDS))
                        .as("%s ends", fault)
                        .isTrue();
                assertThat(stopped).as("%s", fault).succeedsWithin(LONG).isEqualTo(fault.isStop());
                assertThat(client.exitValue()).as("%s", fault).isEqualTo(fault.isStop() ? 0 : 128 + 9);
                awaitZero(open);
            }
            Process next = start(Role.CLIENT, port, null);
            assertThat(next.inputReader().readLine())
                    .as("connections of the next client over rings")
                    .isEqualTo(Integer.toString(CONNECTIONS_AFTERWARDS));
        }
        System.out.printf(
                "%s: %d faults of clients; %s%n", getClass().getSimpleName(), faults.size(), Seed.replayLine());
    }

    private static void serve(ServerSocketChannel listener, AtomicInteger open) {
        try {
            while (true) {
                SocketChannel accepted = listener.accept();
                open.incrementAndGet();
                Thread.ofVirtual().start(() -> {
                    FaultVictim.echo(accepted);
                    open.decrementAndGet();
                });
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    /** The connections of a client that has ended, or was killed, end. */
    private static void awaitZero(AtomicInteger open) throws InterruptedException {
        long began = System.nanoTime();
        while (open.get() > 0) {
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("%s connections of a process that has ended", open)
                    .isLessThan(LONG);
            Thread.sleep(5);
        }
    }
}
