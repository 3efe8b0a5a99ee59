package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/**
 * A home and an initiator in their own runtime directory, with which most tests begin. Closing ends both and removes
 * the directory.
 */
public final class Pair implements AutoCloseable {
    private final Path directory;
    private final Urma urma;
    private final UrmaDevice device;
    private final Initiator initiator;
    private final Home home;
    private List<Path> leftovers = List.of();

    private Pair(Path directory, Urma urma, String device, Topology topology, Supplier<HomeOpener> process) {
        this.directory = directory;
        this.urma = urma;
        this.device = urma.device(device);
        UrmaContext context = this.device.openContext();
        this.initiator = new Initiator(urma, context);
        this.home = switch (topology) {
            case LOOPBACK -> LocalHome.within(urma, context);
            case TWO_CONTEXTS -> LocalHome.on(urma, this.device);
            case TWO_INSTANCES -> LocalHome.opening(options(directory, true, false), device);
            case TWO_PROCESSES -> process.get().open(device, directory.toString());
        };
    }

    /**
     * Opens both.
     *
     * @param process asked for the home's process when the topology has one
     * @param opensDeviceMemory whether the initiator opens device memory of homes that share it; homes of their own library do
     * @param hasSlowDevices whether simulated devices of the initiator copy slowly
     */
    static Pair open(
            String device,
            Topology topology,
            Supplier<HomeOpener> process,
            boolean opensDeviceMemory,
            boolean hasSlowDevices) {
        Path directory = newDirectory();
        Urma urma = Urma.open(options(directory, opensDeviceMemory, hasSlowDevices));
        try {
            return new Pair(directory, urma, device, topology, process);
        } catch (RuntimeException e) {
            urma.close();
            remove(directory);
            throw e;
        }
    }

    private static UrmaOptions options(Path directory, boolean opensDeviceMemory, boolean hasSlowDevices) {
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(directory);
        return DevicesUnderTest.options(options, opensDeviceMemory, hasSlowDevices);
    }

    public Initiator initiator() {
        return initiator;
    }

    public Home home() {
        return home;
    }

    public Path directory() {
        return directory;
    }

    /** The library of the initiator. */
    public Urma urma() {
        return urma;
    }

    public UrmaDevice device() {
        return device;
    }

    /** One more initiator in this process, in a context of its own. */
    public Initiator anotherInitiator() {
        return new Initiator(urma, device.openContext());
    }

    /** A segment of the home, and its import. */
    public record Imported(HomeSegment home, RemoteSegment remote) {
        /** Revokes it; when this returns, all importers know. */
        public void revoke() {
            home.unregister(Patience.LIMIT);
        }
    }

    /** A zeroed segment of the home, imported with all its access. */
    public Imported imported(long lengthBytes, Access access) {
        HomeSegment segment = home.segment(lengthBytes, access);
        return new Imported(segment, initiator.context().importSegment(segment.shared()));
    }

    /** A zeroed segment that can be read and written. */
    public Imported imported(long lengthBytes) {
        return imported(lengthBytes, Access.READ_WRITE);
    }

    /** The import of a segment that its home has revoked. */
    public RemoteSegment importedAndRevoked(long lengthBytes) {
        Imported imported = imported(lengthBytes, Access.READ_WRITE_ATOMIC);
        imported.revoke();
        Patience.await("the revocation at the importer", imported.remote()::isRevoked);
        return imported.remote();
    }

    /** A receive queue of the home with a buffer to receive into, and its import. */
    public record Receiver(HomeQueue queue, HomeSegment buffer, TargetJetty target) {
        /** Posts receives of {@code lengthBytes} side by side; their user contexts count from {@code first}. */
        public void receive(int count, long lengthBytes, long first) {
            for (int i = 0; i < count; i++) {
                queue.receive(buffer, i * lengthBytes, lengthBytes, first + i);
            }
        }
    }

    /** A JFR of the home, with a buffer of {@code bufferBytes} in which no receive is posted yet. */
    public Receiver receiver(long bufferBytes) {
        return receiver(bufferBytes, JfrConfig.builder().build());
    }

    public Receiver receiver(long bufferBytes, JfrConfig config) {
        HomeQueue queue = home.receiver(config, JfcConfig.DEFAULT.depth());
        return imported(queue, bufferBytes);
    }

    /** A queue of the home as a target, with a buffer to receive into. */
    public Receiver imported(HomeQueue queue, long bufferBytes) {
        return new Receiver(
                queue,
                home.segment(bufferBytes, Access.READ_WRITE),
                initiator.context().importJetty(queue.shared()));
    }

    /**
     * Two RC Jetties bound to each other.
     *
     * @param here the initiator's as a home sees it, for what it receives
     * @param queue the initiator's as a send queue
     */
    public record Connection(SendSide queue, HomeQueue here, HomeQueue there) {}

    static final JfsConfig RC_SEND = JfsConfig.builder()
            .mode(TransportMode.RC)
            .timeout(Duration.ofSeconds(5))
            .build();
    static final JfrConfig RC_RECEIVE =
            JfrConfig.builder().mode(TransportMode.RC).build();

    /** Two connected RC Jetties, one at each end. */
    public Connection connection() {
        return connection(RC_SEND);
    }

    public Connection connection(JfsConfig config) {
        HomeQueue there = home.jetty(config, RC_RECEIVE);
        LocalHomeQueue here = (LocalHomeQueue) initiator.asHome().jetty(config, RC_RECEIVE);
        SharedJetty hereShared = here.shared();
        here.bind(there.shared());
        there.bind(hereShared);
        return new Connection(here.sendSide(), here, there);
    }

    @Override
    public void close() {
        try (urma) {
            home.close();
        } finally {
            leftovers = filesIn(directory);
            remove(directory);
        }
    }

    /** Files that were still there when both ends had closed. */
    List<Path> leftovers() {
        return leftovers;
    }

    private static List<Path> filesIn(Path directory) {
        try (var files = Files.walk(directory)) {
            return files.filter(file -> !Files.isDirectory(file)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path newDirectory() {
        try {
            return Files.createTempDirectory("urma-tck-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void remove(Path directory) {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
