package io.urma4j.bench;

import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Fd;
import io.urma4j.libc.Mapping;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.SocketInbox;
import io.urma4j.libc.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The importing process of {@link SharingSuite}: executes the commands that it receives, and returns nanoseconds. */
final class ImporterProcess implements AutoCloseable {
    private final Urma urma = Urma.open();
    private final @Nullable UnixSocket bareHome;
    private final MemorySegment message = MemorySegment.ofArray(new byte[64]);
    private final SocketInbox inbox = SocketInbox.ofTrustedPeers(64);
    private final List<UrmaContext> contexts = new ArrayList<>();
    private final List<RemoteSegment> held = new ArrayList<>();

    /** A importer of the bare home at that place, when there is one. */
    ImporterProcess(String place) {
        bareHome = place.startsWith("/") ? connected(Path.of(place)) : null;
    }

    private static UnixSocket connected(Path place) {
        try (Dir directory = Dir.open(place)) {
            return UnixSocket.connect(directory, BareHome.SOCKET);
        }
    }

    /** Does what the line says. */
    String obey(String line) {
        String[] words = line.split(" ", 2);
        return switch (words[0]) {
            case "contexts" -> open(Integer.parseInt(words[1]));
            case "import" -> String.valueOf(importOnce(SharedSegment.parse(words[1])));
            case "hold" -> hold(SharedSegment.parse(words[1]));
            case "drop" -> drop();
            case "bare" -> String.valueOf(importBarely());
            case "arenas" -> String.valueOf(closeArenas(Integer.parseInt(words[1])));
            case "trips" -> String.valueOf(roundTrips(Integer.parseInt(words[1])));
            default -> throw new IllegalArgumentException(line);
        };
    }

    private String open(int count) {
        for (int i = 0; i < count; i++) {
            contexts.add(urma.device("shm0").openContext());
        }
        return "open";
    }

    private long importOnce(SharedSegment shared) {
        long start = System.nanoTime();
        contexts.get(0).importSegment(shared).close();
        return System.nanoTime() - start;
    }

    private String hold(SharedSegment shared) {
        for (UrmaContext context : contexts) {
            held.add(context.importSegment(shared));
        }
        return "held";
    }

    private String drop() {
        held.forEach(RemoteSegment::close);
        held.clear();
        return "dropped";
    }

    private long importBarely() {
        long start = System.nanoTime();
        try (Arena arena = Arena.ofShared();
                Fd memory = ask()) {
            if (!MemFd.seals(memory).contains(MemFd.Seal.SHRINK)) {
                throw new IllegalStateException("not sealed");
            }
            Mapping.map(memory, 0, MemFd.sizeBytes(memory), Mapping.Protection.READ_WRITE, arena);
        }
        return System.nanoTime() - start;
    }

    private Fd ask() {
        trip();
        return inbox.descriptors().removeFirst();
    }

    private void trip() {
        UnixSocket socket = bareHome;
        if (socket == null) {
            throw new IllegalStateException("no bare home was given");
        }
        socket.send(message);
        HandOver.await(socket.fd());
        socket.receive(inbox);
    }

    private static long closeArenas(int count) {
        List<Arena> arenas = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Arena arena = Arena.ofShared();
            Mapping.anonymous(4096, arena);
            arenas.add(arena);
        }
        long start = System.nanoTime();
        arenas.forEach(Arena::close);
        return System.nanoTime() - start;
    }

    private long roundTrips(int count) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            trip();
            inbox.closeDescriptors();
        }
        return System.nanoTime() - start;
    }

    @Override
    public void close() {
        urma.close();
        if (bareHome != null) {
            bareHome.close();
        }
    }
}
