package io.urma4j.bench;

import io.urma4j.libc.Dir;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.Poll;
import io.urma4j.libc.SocketInbox;
import io.urma4j.libc.UnixSocket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What processes share in the peer of a figure, where urma4j takes no part: memory and an eventfd, handed over a Unix
 * socket. All live as long as the process.
 */
record HandOver(Fd descriptor, MemorySegment memory, EventFd event) {
    private static final long BYTES = 4096;
    private static final int PATIENCE_MILLIS = 10_000;
    private static final String SOCKET = "s";

    /** Makes both, and gives them to a child that {@linkplain #take(String) takes}. */
    static HandOver give(ChildProcess child) throws IOException {
        return give(child, BYTES);
    }

    /** The same with that much memory, for a child that {@linkplain #take(String, long) knows}. */
    static HandOver give(ChildProcess child, long lengthBytes) throws IOException {
        Fd memory = MemFd.create("urma-bench", lengthBytes);
        HandOver shared = new HandOver(memory, map(memory, lengthBytes), EventFd.create());
        shared.giveTo(child);
        return shared;
    }

    /** Gives the same to one child more. */
    void giveTo(ChildProcess child) throws IOException {
        Path place = Files.createTempDirectory("urma-bench");
        try (Dir directory = Dir.open(place);
                UnixSocket listener = UnixSocket.listen(directory, SOCKET, 1)) {
            child.say(place.toString());
            await(listener.fd());
            try (UnixSocket socket = listener.accept().orElseThrow()) {
                socket.send(MemorySegment.ofArray(new byte[1]), descriptor, event.fd());
            } finally {
                directory.unlink(SOCKET);
            }
        } finally {
            Files.delete(place);
        }
    }

    /** Takes what the parent gives. */
    static HandOver take(String place) {
        return take(place, BYTES);
    }

    /** The same with that much memory. */
    static HandOver take(String place, long lengthBytes) {
        try (Dir directory = Dir.open(Path.of(place));
                UnixSocket socket = UnixSocket.connect(directory, SOCKET)) {
            await(socket.fd());
            SocketInbox inbox = SocketInbox.ofTrustedPeers(1);
            socket.receive(inbox);
            Fd memory = inbox.descriptors().removeFirst();
            return new HandOver(
                    memory,
                    map(memory, lengthBytes),
                    EventFd.adopt(inbox.descriptors().removeFirst()));
        }
    }

    private static MemorySegment map(Fd memory, long lengthBytes) {
        // a shared arena, as urma4j's own mappings have, so that each access makes the same checks
        return Mapping.map(memory, 0, lengthBytes, Mapping.Protection.READ_WRITE, Arena.ofShared());
    }

    static void await(Fd fd) {
        if (Poll.await(fd, Poll.IN, PATIENCE_MILLIS) == 0) {
            throw new IllegalStateException("the other process did not come within " + PATIENCE_MILLIS + " ms");
        }
    }
}
