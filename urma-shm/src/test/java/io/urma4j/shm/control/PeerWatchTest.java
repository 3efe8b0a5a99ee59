package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Eid;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Fd;
import io.urma4j.libc.UnixSocket;
import io.urma4j.libc.WatchedLock;
import io.urma4j.shm.memory.Failures;
import io.urma4j.spi.control.ControlMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a context finds out of its peers, and what proves nothing of them. */
@Timeout(60)
class PeerWatchTest {
    private static final int ANOTHER_PROCESS = 1;
    private static final int THIS_PROCESS = (int) ProcessHandle.current().pid();

    @TempDir
    Path temporary;

    private final CompletableFuture<Void> engineEnded = new CompletableFuture<>();
    private final Engine engine = new Engine("test-engine", _ -> Long.MAX_VALUE, () -> engineEnded.complete(null));
    private final List<Peer> identified = new CopyOnWriteArrayList<>();
    private Path path;
    private RuntimeDirectory directory;
    private PeerWatch watch;
    private UnixSocket listener;
    private RawPeer other;
    private Connection connection;

    @BeforeEach
    void open() throws Exception {
        Failures.prepare(); // as a context does
        path = temporary.resolve("runtime");
        directory = RuntimeDirectory.open(path);
        watch = new PeerWatch(engine, directory, identified::add, _ -> {});
        try (Dir place = Dir.open(path)) {
            listener = UnixSocket.listen(place, "socket", 8);
        }
        other = RawPeer.connectedTo(path, "socket");
        engine.start();
        connection = onEngine(() -> new Connection(engine, listener.accept().orElseThrow(), new Nothing()));
    }

    @AfterEach
    void close() throws Exception {
        onEngine(() -> {
            connection.close();
            return true;
        });
        engine.execute(engine::stop);
        get(engineEnded);
        other.close();
        listener.close();
        directory.close();
    }

    private <T> T onEngine(Callable<T> step) throws Exception {
        return TestContext.on(engine, step);
    }

    private static Peer peer(int pid) {
        return new Peer(RawPeer.ID, Eid.ofIpv4(1), RawPeer.UASID, pid, 0);
    }

    private Peer begun(Peer peer) throws Exception {
        onEngine(() -> {
            watch.begin(peer, connection);
            return true;
        });
        return peer;
    }

    private void forget(Peer peer) throws Exception {
        onEngine(() -> {
            peer.markLost();
            peer.stopWatching();
            return true;
        });
    }

    @Test
    void aProcessWithoutDescriptorsLooksAgain() throws Exception {
        try (HeldLock _ = new HeldLock(path, RawPeer.ID)) {
            forget(begun(peer(ANOTHER_PROCESS))); // loads the classes
            identified.clear();
            Files.createDirectory(path.resolve("000008.lock"));
            forget(begun(new Peer(RawPeer.ID, Eid.ofIpv4(1), 8, ANOTHER_PROCESS, 0))); // and those of a failure
            Peer peer;
            try (var _ = new NoDescriptors()) {
                peer = begun(peer(ANOTHER_PROCESS));
                assertThat(peer.process).isNull();
                assertThat(identified).isEmpty();
            }

            await().until(() -> onEngine(() -> peer.process != null));
            await().until(() -> identified.contains(peer));
            forget(peer);
        }
    }

    /** Whoever can remove the file of a living process could have its memory taken for free. */
    @Test
    void aMissingLockProvesNothingOfAnotherProcess() throws Exception {
        assertThat(onEngine(() -> watch.isGone(peer(ANOTHER_PROCESS)))).isFalse();
        assertThat(onEngine(() -> watch.isGone(peer(THIS_PROCESS)))).isTrue();
        PeerId elsewhere = new PeerId("d".repeat(32), RawPeer.ID.incarnation());
        try (HeldLock _ = new HeldLock(path, elsewhere)) {
            assertThat(onEngine(() -> watch.isGone(peer(ANOTHER_PROCESS))))
                    .as("its UASID may be a lie")
                    .isFalse();
        }
    }

    /** The kernel releases a lock at the end of its process, whatever became of its name. */
    @Test
    void aLockThatWasRemovedTellsOfTheEndOfItsOwner() throws Exception {
        HeldLock held = new HeldLock(path, RawPeer.ID);
        Peer peer = peer(ANOTHER_PROCESS);
        WatchedLock lock = directory.watchLock(RawPeer.UASID, RawPeer.ID).orElseThrow();
        peer.lock = lock;
        Files.delete(path.resolve("%06x.lock".formatted(RawPeer.UASID)));
        assertThat(watch.isGone(peer)).isFalse();

        held.close();

        assertThat(watch.isGone(peer)).isTrue();
        lock.close();
        PeerId elsewhere = new PeerId("d".repeat(32), RawPeer.ID.incarnation());
        try (HeldLock _ = new HeldLock(path, RawPeer.ID)) {
            assertThat(directory.watchLock(RawPeer.UASID, elsewhere)).isEmpty();
        }
        assertThat(directory.watchLock(RawPeer.UASID, RawPeer.ID)).isEmpty();
    }

    /** Receives nothing. */
    private static final class Nothing implements Connection.Receiver {
        @Override
        public void received(Connection from, ControlMessage message, List<Fd> descriptors) {}

        @Override
        public void ended(Connection ended, String why) {}
    }
}
