package io.urma4j.libc;

import static io.urma4j.libc.Mapping.Protection.READ_WRITE;
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
import java.util.Collections;
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

    private final SocketInbox inbox = SocketInbox.ofTrustedPeers(256);

    @BeforeEach
    void connect() {
        directory = Dir.open(folder);
        listener = UnixSocket.listen(directory, "control", 4);
        client = UnixSocket.connect(directory, "control");
        server = listener.accept().orElseThrow();
    }

    @AfterEach
    void closeAll() {
        inbox.closeDescriptors();
        server.close();
        client.close();
        listener.close();
        directory.close();
    }

    @Test
    void messageArrivesWhole() {
        assertThat(client.send(bytes("one"))).isEqualTo(3);
        assertThat(client.send(bytes("second"))).isEqualTo(6);

        assertThat(receive()).isEqualTo("one");
        assertThat(receive()).isEqualTo("second");
        assertThat(server.receive(inbox)).isEqualTo(UnixSocket.WOULD_BLOCK);
    }

    /** The kernel reports such an end before it gives out what the peer has sent. */
    @Test
    void whatThePeerSentArrivesThoughItLeftMessagesUnread() {
        client.send(bytes("never read"));
        server.send(bytes("goodbye"));

        server.close();

        assertThat(client.receive(inbox)).isEqualTo("goodbye".length());
        assertThat(client.receive(inbox)).isEqualTo(UnixSocket.PEER_GONE);
    }

    @Test
    void memoryPassedBetweenThreadsIsShared() throws Exception {
        try (var home = Executors.newVirtualThreadPerTaskExecutor();
                Arena arena = Arena.ofShared()) {
            var seen = home.submit(() -> {
                Poll.await(server.fd(), Poll.IN, DEADLINE_MILLIS);
                receive();
                MemorySegment shared = Mapping.map(inbox.descriptors().getFirst(), 0, 4096, READ_WRITE, arena);
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
        assertThat(receive()).isEqualTo("two");
        assertThat(inbox.descriptors()).extracting(MemFd::sizeBytes).containsExactly(4096L, 8192L);
    }

    /** What finds no room the kernel would close on the receiving thread, however long that takes. */
    @Test
    void asManyDescriptorsAsAMessageCanCarryAllArrive() throws Exception {
        try (Fd memory = MemFd.create("urma:many", 4096)) {
            client.send(bytes("many"), Collections.nCopies(253, memory).toArray(Fd[]::new));
        }

        assertThat(receive()).isEqualTo("many");

        assertThat(inbox.descriptors()).hasSize(253);
        assertThat(OpenFiles.count("urma:many")).isEqualTo(253);
        inbox.closeDescriptors();
        assertThat(OpenFiles.count("urma:many")).isZero();
    }

    @Test
    void tooLongMessageLeavesItsDescriptorsToTheCallerAndTellsItsLength() throws Exception {
        try (Fd memory = MemFd.create("urma:truncated", 4096)) {
            client.send(MemorySegment.ofArray(new byte[1000]), memory);
        }
        var refusal = catchThrowableOfType(LibcException.class, () -> server.receive(inbox));

        assertThat(refusal).hasMessageContaining("message of 1000 bytes, room for 256");
        assertThat(inbox.descriptors()).hasSize(1);
        inbox.closeDescriptors();
        assertThat(OpenFiles.count("urma:truncated")).isZero();
    }

    @Test
    void descriptorsThatWereNotTakenAreClosedBeforeTheNextMessage() throws Exception {
        try (Fd memory = MemFd.create("urma:forgotten", 4096)) {
            client.send(bytes("one"), memory);
        }
        receive();
        client.send(bytes("two"));
        receive();

        assertThat(inbox.descriptors()).isEmpty();
        assertThat(OpenFiles.count("urma:forgotten")).isZero();
    }

    @Test
    void signalIsAMessageOfOneByte() {
        client.signal();

        assertThat(server.receive(inbox)).isEqualTo(1);
        assertThat(inbox.message().get(0)).isZero();
    }

    @Test
    void signalNeverWaitsWhetherThePeerIsFullOrGone() {
        while (client.send(MemorySegment.ofArray(new byte[1024])) == 1024) {
            // until it is full
        }
        client.signal();
        server.close();
        client.signal();

        client.close();
        assertThatIllegalStateException().isThrownBy(() -> client.signal());
    }

    @Test
    void drainedSocketHoldsNoDescriptors() throws Exception {
        try (Fd memory = MemFd.create("urma:drained", 4096)) {
            for (int i = 0; i < 5; i++) {
                client.send(MemorySegment.ofArray(new byte[1000]), memory, memory); // longer than the inbox
            }
        }

        assertThat(server.drain(inbox, 3)).isFalse();
        assertThat(server.drain(inbox, 3)).isTrue();

        assertThat(OpenFiles.count("urma:drained")).isZero();
        assertThat(client.send(bytes("late"))).isEqualTo(UnixSocket.PEER_GONE);
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

        assertThat(receive()).isEqualTo("last");
        assertThat(server.receive(inbox)).isEqualTo(UnixSocket.PEER_GONE);
        assertThat(server.send(bytes("late"))).isEqualTo(UnixSocket.PEER_GONE);
    }

    @Test
    void peerThatLeftWithUnreadMessagesIsGone() {
        server.send(bytes("never read"));
        client.close();

        assertThat(server.receive(inbox)).isEqualTo(UnixSocket.PEER_GONE);
    }

    @Test
    void shutdownIsSeenByThePeer() {
        client.shutdown();
        client.shutdown();

        assertThat(server.receive(inbox)).isEqualTo(UnixSocket.PEER_GONE);
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

        assertThat(server.receive(inbox)).isEqualTo(UnixSocket.WOULD_BLOCK);
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

            assertThat(farServer.receive(inbox)).isEqualTo(3);
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

    private String receive() {
        server.receive(inbox);
        return StandardCharsets.UTF_8.decode(inbox.message()).toString();
    }

    private int connectErrno(String name) {
        return catchThrowableOfType(LibcException.class, () -> UnixSocket.connect(directory, name))
                .errno();
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }
}
