package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.SegmentDescriptor;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.libc.Dir;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlMessage.Hello;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A home whose answers a test writes by hand, under any identity. */
final class RawHome implements AutoCloseable {
    /** An address before that of every context. */
    static final PeerId FIRST = new PeerId("0".repeat(31) + "1", 98);

    /** An address behind that of every context. */
    static final PeerId LAST = new PeerId("f".repeat(32), 97);

    private static final int BACKLOG = 8;

    final PeerId id;
    private final Path socket;
    private final UnixSocket listener;

    private RawHome(Path directory, PeerId id, int backlog) {
        this.id = id;
        this.socket = directory.resolve(id.address());
        try (Dir place = Dir.open(directory)) {
            this.listener = UnixSocket.listen(place, id.address(), backlog);
        }
    }

    static RawHome at(Path directory, PeerId id) {
        return new RawHome(directory, id, BACKLOG);
    }

    /** One with the shortest queue of pending connections. */
    static RawHome withShortQueue(Path directory, PeerId id) {
        return new RawHome(directory, id, 0);
    }

    /** The next connection, not greeted. */
    RawPeer accept() {
        return RawPeer.acceptedBy(listener);
    }

    /** The next connection, greeted. */
    RawPeer greet() throws Exception {
        RawPeer peer = accept();
        peer.receive(Hello.class);
        peer.send(RawPeer.hello(id, 0));
        return peer;
    }

    SegmentDescriptor segment(Access access, long vaBase) {
        return Exports.describe(Eid.ofIpv4(1), RawPeer.UASID, id, 5, 1, 4096, access, TokenPolicy.NONE, vaBase);
    }

    /** {@code importer} requests to import a segment of this home. */
    CompletableFuture<ShmImport> importBy(TestContext importer, Access access, Duration timeout) {
        return importer.plane
                .importSegment(new ImportRequest(segment(Access.READ_WRITE_ATOMIC, 0), null, access, timeout))
                .thenApply(ShmImport.class::cast);
    }

    JettyDescriptor queue(int uasid) {
        return new JettyDescriptor(
                new JettyId(Eid.ofIpv4(1), uasid, 5),
                JettyDescriptor.Kind.JFR,
                id.incarnation(),
                TransportMode.RM,
                OrderType.OI,
                TokenPolicy.NONE,
                List.of(new Endpoint(Exports.KIND, id.address(), 5, 0, false)));
    }

    @Override
    public void close() throws IOException {
        listener.close();
        Files.deleteIfExists(socket);
    }
}
