package io.urma4j.shm.control;

import io.urma4j.Eid;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Epoll;
import io.urma4j.libc.Fd;
import io.urma4j.libc.Poll;
import io.urma4j.libc.SocketInbox;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Hello;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A peer that sends any message that a test composes. */
final class RawPeer implements AutoCloseable {
    static final PeerId ID = new PeerId("c".repeat(32), 99);
    static final int UASID = 7;
    private static final int PATIENCE_MILLIS = 5000;

    private final UnixSocket socket;
    private final SocketInbox inbox = SocketInbox.ofTrustedPeers(ControlCodec.MAX_MESSAGE_BYTES);
    final List<Fd> received = new ArrayList<>();

    private RawPeer(UnixSocket socket) {
        this.socket = socket;
    }

    static RawPeer connectedTo(Path directory, ControlPlane plane) {
        return connectedTo(directory, plane.address());
    }

    static RawPeer connectedTo(Path directory, String address) {
        try (Dir place = Dir.open(directory)) {
            return new RawPeer(UnixSocket.connect(place, address));
        }
    }

    static Hello hello(long wanted) {
        return new Hello(ControlCodec.MAJOR, 0, 0, 0, Eid.ofIpv4(1), 7, ID.incarnation(), wanted, ID.address());
    }

    /** The greeting of one that can import device memory. */
    static Hello helloWithDeviceMemory(long wanted) {
        long features = ControlCodec.FEATURE_DEVICE_MEMORY;
        return new Hello(
                ControlCodec.MAJOR, 0, features, 0, Eid.ofIpv4(1), UASID, ID.incarnation(), wanted, ID.address());
    }

    /** A greeting under another name, for each number. */
    static Hello hello(long wanted, int name) {
        return new Hello(ControlCodec.MAJOR, 0, 0, 0, Eid.ofIpv4(1), 7, 1_000 + name, wanted, "%032x".formatted(name));
    }

    /** A greeting of any identity, with the UASID of all raw peers. */
    static Hello hello(PeerId id, long wanted) {
        return new Hello(ControlCodec.MAJOR, 0, 0, 0, Eid.ofIpv4(1), UASID, id.incarnation(), wanted, id.address());
    }

    /** Connected, and greeted. */
    static RawPeer greeted(Path directory, ControlPlane plane) throws Exception {
        return greeted(directory, plane, ID);
    }

    /** Connected, and greeted under that identity. */
    static RawPeer greeted(Path directory, ControlPlane plane, PeerId id) throws Exception {
        RawPeer peer = connectedTo(directory, plane);
        peer.send(hello(id, plane.incarnation()));
        if (!(peer.receive().orElseThrow() instanceof Hello)) {
            throw new AssertionError("not greeted");
        }
        return peer;
    }

    /** A home at {@link #ID}'s address, which the test serves by hand. */
    static UnixSocket listenAsHome(Path directory) {
        try (Dir place = Dir.open(directory)) {
            return UnixSocket.listen(place, ID.address(), 8);
        }
    }

    static RawPeer acceptedBy(UnixSocket listener) {
        Poll.await(listener.fd(), Epoll.IN, PATIENCE_MILLIS);
        return new RawPeer(listener.accept().orElseThrow());
    }

    void send(ControlMessage message, Fd... descriptors) {
        sendBytes(ControlCodec.encode(message), descriptors);
    }

    /** Like {@link #send}, but waits for space in the socket. */
    void sendPatiently(ControlMessage message) {
        ByteBuffer bytes = ControlCodec.encode(message);
        while (sendBytes(bytes) == UnixSocket.WOULD_BLOCK) {
            Thread.onSpinWait();
        }
    }

    /** The result of {@link UnixSocket#send}. */
    int sendBytes(ByteBuffer bytes, Fd... descriptors) {
        return socket.send(MemorySegment.ofBuffer(bytes), descriptors);
    }

    /** The next message, or empty when the other side has closed. */
    Optional<ControlMessage> receive() throws Exception {
        Poll.await(socket.fd(), Epoll.IN, PATIENCE_MILLIS);
        int length = socket.receive(inbox);
        received.addAll(inbox.descriptors());
        inbox.descriptors().clear();
        if (length == UnixSocket.WOULD_BLOCK) {
            throw new AssertionError("no message came");
        }
        return length == UnixSocket.PEER_GONE ? Optional.empty() : Optional.of(ControlCodec.decode(inbox.message()));
    }

    /** The next message, which must be of that kind. */
    <T extends ControlMessage> T receive(Class<T> kind) throws Exception {
        return kind.cast(receive().orElseThrow());
    }

    /** Whether the other side has closed and sent nothing before that; does not wait. */
    boolean hasEnded() {
        return socket.receive(inbox) == UnixSocket.PEER_GONE;
    }

    /** Wakes the other end's engine, as an honest peer would. */
    void wake() {
        socket.signal();
    }

    @Override
    public void close() {
        received.forEach(Fd::close);
        socket.close();
    }
}
