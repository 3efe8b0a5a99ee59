package io.urma4j.libc;

import static io.urma4j.libc.Mapping.Protection.READ_WRITE;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketTest {
    private static final int DEADLINE_MILLIS = 10_000;

    @TempDir
    Path folder;

    private Dir directory;
    private UnixSocket listener;
    private UnixSocket client;
    private UnixSocket server;

    private final MemorySegment buffer = MemorySegment.ofArray(new byte[256]);
    private final List<Fd> received = new ArrayList<>();

    @BeforeEach
    void connect() {
        directory = Dir.open(folder);
        listener = UnixSocket.listen(directory, "control", 4);
        client = UnixSocket.connect(directory, "control");
        server = listener.accept().orElseThrow();
    }

    @AfterEach
    void closeAll() {
        received.forEach(Fd::close);
        server.close();
        client.close();
        listener.close();
        directory.close();
    }

    @Test
    void messageArrivesWhole() {
        assertThat(client.send(bytes("one"))).isEqualTo(3);
        assertThat(client.send(bytes("second"))).isEqualTo(6);

        assertThat(receive(0)).isEqualTo("one");
        assertThat(receive(0)).isEqualTo("second");
        assertThat(server.receive(buffer, received, 0)).isEqualTo(UnixSocket.WOULD_BLOCK);
    }

    @Test
    void memoryPassedBetweenThreadsIsShared() throws Exception {
        try (var home = Executors.newVirtualThreadPerTaskExecutor();
                Arena arena = Arena.ofShared()) {
            var seen = home.submit(() -> {
                Poll.await(server.fd(), Poll.IN, DEADLINE_MILLIS);
                receive(1);
                MemorySegment shared = Mapping.map(received.getFirst(), 0, 4096, READ_WRITE, arena);
                return shared.get(JAVA_LONG, 8);
            });
            try (Fd memory = MemFd.create("urma:passed", 4096)) {
                Mapping.map(memory, 0, 4096, READ_WRITE, arena).set(JAVA_LONG, 8, 42);
                client.send(bytes("take it"), memory);
            }
            assertThat(seen.get()).isEqualTo(42);
        }
    }

    @Test
    void severalDescriptorsKeepTheirOrder() {
        try (Fd small = MemFd.create("urma:small", 4096);
                Fd large = MemFd.create("urma:large", 8192)) {
            client.send(bytes("two"), small, large);
        }
        assertThat(receive(3)).isEqualTo("two");
        assertThat(received).extracting(MemFd::sizeBytes).containsExactly(4096L, 8192L);
    }

    /** An odd and an even limit, since the kernel would use the padding behind an odd number. */
    @Test
    void surplusDescriptorsAreClosedAndReported() throws Exception {
        for (int limit = 0; limit <= 4; limit++) {
            try (Fd memory = MemFd.create("urma:surplus", 4096)) {
                client.send(bytes("many"), memory, memory, memory, memory, memory);
            }
            int most = limit;
            var refusal = catchThrowableOfType(LibcException.class, () -> server.receive(buffer, received, most));

            assertThat(refusal.errno()).isEqualTo(Errno.EMSGSIZE);
            assertThat(refusal).hasMessageContaining("more descriptors than " + limit);
            assertThat(received).isEmpty();
            assertThat(OpenFiles.count("urma:surplus")).isZero();
        }
    }

    @Test
    void truncatedMessageClosesItsDescriptorsAndTellsItsLength() throws Exception {
        try (Fd memory = MemFd.create("urma:truncated", 4096)) {
            client.send(MemorySegment.ofArray(new byte[1000]), memory);
        }
        var refusal = catchThrowableOfType(LibcException.class, () -> server.receive(buffer, received, 1));

        assertThat(refusal).hasMessageContaining("message of 1000 bytes, room for 256");
        assertThat(received).isEmpty();
        assertThat(OpenFiles.count("urma:truncated")).isZero();
    }

    @Test
    void fullSocketWouldBlock() {
        MemorySegment message = MemorySegment.ofArray(new byte[1024]);
        int sent = 0;
        while (client.send(message) == 1024) {
            assertThat(++sent).isLessThan(100_000);
        }
        assertThat(sent).isPositive();
        assertThat(client.send(message)).isEqualTo(UnixSocket.WOULD_BLOCK);
    }

    @Test
    void closedPeerIsGoneForBothDirections() {
        client.send(bytes("last"));
        client.close();

        assertThat(receive(0)).isEqualTo("last");
        assertThat(server.receive(buffer, received, 0)).isEqualTo(UnixSocket.PEER_GONE);
        assertThat(server.send(bytes("late"))).isEqualTo(UnixSocket.PEER_GONE);
    }

    @Test
    void peerThatLeftWithUnreadMessagesIsGone() {
        server.send(bytes("never read"));
        client.close();

        assertThat(server.receive(buffer, received, 0)).isEqualTo(UnixSocket.PEER_GONE);
    }

    @Test
    void shutdownIsSeenByThePeer() {
        client.shutdown();
        client.shutdown();

        assertThat(server.receive(buffer, received, 0)).isEqualTo(UnixSocket.PEER_GONE);
    }

    @Test
    void emptyMessageIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.send(MemorySegment.ofArray(new byte[0])))
                .withMessageContaining("an empty message on");
    }

    @Test
    void tooLargeMessageIsRefused() {
        var refusal =
                catchThrowableOfType(LibcException.class, () -> client.send(MemorySegment.ofArray(new byte[64 << 20])));

        assertThat(refusal.errno()).isEqualTo(Errno.EMSGSIZE);
        assertThat(refusal).hasMessageContaining("lengthBytes=67108864");
    }

    @Test
    void closedDescriptorIsNotSent() {
        Fd open = MemFd.create("urma:open", 4096);
        Fd closed = MemFd.create("urma:closed", 4096);
        closed.close();

        assertThatIllegalStateException().isThrownBy(() -> client.send(bytes("x"), open, closed));
        open.close();

        assertThat(server.receive(buffer, received, 2)).isEqualTo(UnixSocket.WOULD_BLOCK);
    }

    @Test
    void peersAreThisProcess() {
        var ourselves = new PeerCredentials(
                (int) ProcessHandle.current().pid(),
                UserIds.effective(),
                server.peerCredentials().gid());

        assertThat(server.peerCredentials()).isEqualTo(ourselves);
        assertThat(client.peerCredentials()).isEqualTo(ourselves);
    }

    @Test
    void peerPidFdIsOfALivingProcess() {
        server.peerPidFd().ifPresent(peer -> {
            try (peer) {
                assertThat(peer.isExited()).isFalse();
            }
        });
    }

    @Test
    void nobodyToAcceptIsNoFailure() {
        assertThat(listener.accept()).isEmpty();
    }

    @Test
    void fullBacklogIsTold() throws Exception {
        try (UnixSocket busy = UnixSocket.listen(directory, "busy", 0);
                UnixSocket first = UnixSocket.connect(directory, "busy")) {
            var refusal = catchThrowableOfType(LibcException.class, () -> UnixSocket.connect(directory, "busy"));

            assertThat(refusal.errno()).isEqualTo(Errno.EAGAIN);
            assertThat(first.fd().isClosed() || busy.fd().isClosed()).isFalse();
        }
    }

    @Test
    void nobodyThereAndNobodyListeningAreToldApart() {
        listener.close();

        assertThat(connectErrno("missing")).isEqualTo(Errno.ENOENT);
        assertThat(connectErrno("control")).isEqualTo(Errno.ECONNREFUSED);
    }

    @Test
    void takenNameIsRefusedAndLeavesNoDescriptor() throws Exception {
        long before = OpenFiles.count("socket:");

        var refusal = catchThrowableOfType(LibcException.class, () -> UnixSocket.listen(directory, "control", 1));

        assertThat(refusal.errno()).isEqualTo(Errno.EADDRINUSE);
        assertThat(OpenFiles.count("socket:")).isEqualTo(before);
    }

    @Test
    void pathLongerThanAnAddressWorks() throws Exception {
        Path deep = Files.createDirectories(folder.resolve("d".repeat(120)).resolve("e".repeat(120)));
        try (Dir far = Dir.open(deep);
                UnixSocket farListener = UnixSocket.listen(far, "0123456789abcdef0123456789abcdef", 1);
                UnixSocket farClient = UnixSocket.connect(far, "0123456789abcdef0123456789abcdef");
                UnixSocket farServer = farListener.accept().orElseThrow()) {
            farClient.send(bytes("far"));

            assertThat(farServer.receive(buffer, received, 0)).isEqualTo(3);
        }
        assertThat(deep.resolve("0123456789abcdef0123456789abcdef")).exists();
    }

    @Test
    void nameThatLeavesTheDirectoryIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> UnixSocket.connect(directory, "../control"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UnixSocket.connect(directory, "n".repeat(108)))
                .withMessageContaining("is longer than 107");
    }

    private String receive(int maxDescriptors) {
        int length = server.receive(buffer, received, maxDescriptors);
        return new String(buffer.asSlice(0, length).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private int connectErrno(String name) {
        return catchThrowableOfType(LibcException.class, () -> UnixSocket.connect(directory, name))
                .errno();
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }
}
