package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.LocalSegment;
import io.urma4j.OrderType;
import io.urma4j.TargetJetty;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import io.urma4j.libc.UnixSocket;
import io.urma4j.shm.bounce.BounceLayout;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.RingScribbler;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenBounce;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unbind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A peer with a message path to a victim, which does to both rings whatever a test wants. */
final class HostileRing implements AutoCloseable {
    /** The queue that the victim has imported of it. */
    static final int QUEUE = 7;

    private final Path directory;
    private final TransportMode mode;
    private final OrderType orderType;
    private final Path socket;
    private final UnixSocket listener;
    private final RawPeer connection;
    private final ShmMemory ownRing;
    private final ImportedMapping victimsRing;
    private @Nullable RawPeer importer;

    /** What the victim receives from. */
    final RingScribbler toVictim;

    /** What the victim sends to. */
    final RingScribbler fromVictim;

    /** By which the victim sends to us. */
    final TargetJetty target;

    /** Lets the victim import a queue of ours, and so open a path. */
    HostileRing(Path directory, UrmaContext victim) throws Exception {
        this(directory, victim, TransportMode.RM);
    }

    /** The same with a queue of that mode. */
    HostileRing(Path directory, UrmaContext victim, TransportMode mode) throws Exception {
        this.directory = directory;
        this.mode = mode;
        this.orderType = OrderType.DEF.effective(mode);
        socket = directory.resolve(RawPeer.ID.address());
        listener = RawPeer.listenAsHome(directory);
        var imported = victim.importJettyAsync(descriptor(), null);
        connection = RawPeer.acceptedBy(listener);
        ownRing = ShmMemory.allocate(RingLayout.BYTES, AllocOptions.DEFAULT, "hostile");
        while (connection.received.isEmpty()) {
            serve(connection.receive().orElseThrow());
        }
        target = imported.get(20, TimeUnit.SECONDS);
        victimsRing = ImportedMapping.map(connection.received.get(0), 0, RingLayout.BYTES, true);
        toVictim = new RingScribbler(victimsRing.segment());
        fromVictim = new RingScribbler(ownRing.segment());
    }

    private void serve(ControlMessage message) {
        switch (message) {
            case Hello hello -> connection.send(RawPeer.helloWithDeviceMemory(0));
            case ImportQueue m -> connection.send(new QueueGranted(m.request(), mode, orderType, 0));
            case OpenPath m -> connection.send(new PathOpened(m.request()), ownRing.fd());
            case Bind m -> connection.send(new Done(m.request()));
            case Unbind m -> connection.send(new Done(m.request()));
            default -> throw new AssertionError("unexpected: " + message);
        }
    }

    /** Serves the next request of the victim. */
    void serve() throws Exception {
        serve(connection.receive().orElseThrow());
    }

    /** Imports device memory of the victim, and passes it a bounce buffer: the victim takes requests from now on. */
    void importDevice(LocalSegment memory) throws Exception {
        Endpoint home = memory.descriptor().endpoints().getFirst();
        importer = RawPeer.connectedTo(directory, home.address());
        importer.send(RawPeer.helloWithDeviceMemory(memory.descriptor().incarnation()));
        importer.receive(Hello.class);
        importer.send(
                new ImportSegment(1, memory.descriptor().tokenId(), home.key(), Access.READ_WRITE, memory.token()));
        importer.receive(SegmentGranted.class);
        try (ShmMemory buffer = ShmMemory.allocate(BounceLayout.BYTES, AllocOptions.DEFAULT, "hostile")) {
            importer.send(new OpenBounce(2), buffer.fd());
            importer.receive(Done.class);
        }
    }

    private JettyDescriptor descriptor() {
        return new JettyDescriptor(
                new JettyId(Eid.ofIpv4(1), 7, QUEUE),
                mode == TransportMode.RC ? JettyDescriptor.Kind.JETTY : JettyDescriptor.Kind.JFR,
                RawPeer.ID.incarnation(),
                mode,
                orderType,
                TokenPolicy.NONE,
                List.of(new Endpoint("shm", RawPeer.ID.address(), 0, 0, false)));
    }

    /** Wakes the victim's engine, as an honest sender would. */
    void wakeVictim() {
        connection.wake();
    }

    @Override
    public void close() throws IOException {
        if (importer != null) {
            importer.close();
        }
        connection.close();
        listener.close();
        Files.delete(socket);
        victimsRing.revoke();
        ownRing.close();
    }
}
