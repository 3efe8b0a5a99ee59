package io.urma4j.bench;

import io.urma4j.libc.Dir;
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
import org.jspecify.annotations.Nullable;

/** Shares memory by the fewest system calls: a thread sends a descriptor to each process that connects to a socket. */
final class BareHome implements AutoCloseable {
    static final String SOCKET = "s";

    private static final int LOOK_MILLIS = 100; // how soon the end is seen

    private final UnixSocket socket;
    private final Thread server = new Thread(this::serve, "bare home");
    private volatile @Nullable Fd shared;
    private volatile boolean ending;

    private BareHome(UnixSocket socket) {
        this.socket = socket;
    }

    /** Sends the folder of the socket to the importing process, and waits until it connects. */
    static BareHome open(ChildProcess child) throws IOException {
        Path place = Files.createTempDirectory("urma-bench");
        try (Dir directory = Dir.open(place);
                UnixSocket listener = UnixSocket.listen(directory, SOCKET, 1)) {
            child.say(place.toString());
            HandOver.await(listener.fd());
            BareHome home = new BareHome(listener.accept().orElseThrow());
            directory.unlink(SOCKET);
            child.hear();
            home.server.setDaemon(true);
            home.server.start();
            return home;
        } finally {
            Files.delete(place);
        }
    }

    /** Creates memory, sealed and mapped here; the thread sends its descriptor at the next request. */
    void share(long lengthBytes, Arena arena) {
        Fd memory = MemFd.create("urma-bench", lengthBytes);
        MemFd.addSeals(memory, MemFd.Seal.SHRINK, MemFd.Seal.GROW);
        Mapping.map(memory, 0, lengthBytes, Mapping.Protection.READ_WRITE, arena);
        shared = memory;
    }

    /** Lets go of the descriptor. */
    void forget() {
        Fd memory = shared;
        shared = null;
        if (memory != null) {
            memory.close();
        }
    }

    private void serve() {
        MemorySegment message = MemorySegment.ofArray(new byte[64]);
        SocketInbox inbox = SocketInbox.ofTrustedPeers(64);
        while (!ending) {
            if (Poll.await(socket.fd(), Poll.IN, LOOK_MILLIS) == 0) {
                continue;
            }
            if (socket.receive(inbox) <= 0) {
                return; // the importer has gone
            }
            Fd memory = shared;
            if (memory == null) {
                socket.send(message); // a round trip, no more
            } else {
                socket.send(message, memory);
            }
        }
    }

    @Override
    public void close() {
        ending = true;
        try {
            server.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        forget();
        socket.close();
    }
}
