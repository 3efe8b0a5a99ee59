package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.LocalSegment;
import io.urma4j.PublishedName;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.Poll;
import io.urma4j.libc.SocketInbox;
import io.urma4j.libc.UnixSocket;
import io.urma4j.libc.UserIds;
import io.urma4j.tck.DriverProcess;
import io.urma4j.tck.HomeObject;
import io.urma4j.tck.Rule;
import io.urma4j.tck.TckDriver;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two users of one host do not see each other (S13.3). Needs root, to run a process as another user. */
@Timeout(120)
class OtherUserIT {
    private static final int NOBODY = 65534;
    private static final long FLOOD_MILLIS = 3_000;

    private Path directory;
    private Path readable; // by the other user: this library, and a directory of that user
    private Urma urma;
    private LocalSegment segment;
    private DriverProcess other;

    /** A process of another user. */
    interface Intruder extends HomeObject {
        int uid();

        /** Opens a context in {@code runtimeDirectory}; its close and all else it leaves to its end. */
        void open(String runtimeDirectory);

        void importSegment(SharedSegment shared);

        List<String> names();

        /** Connects to a socket again and again, and says nonsense each time; how often it could. */
        int flood(String runtimeDirectory, String socket, long millis);

        /** Connects to a socket and sends a message; returns the answer as text. */
        String speakTo(String runtimeDirectory, String socket);
    }

    /** That process. */
    static final class IntruderProcess implements Intruder {
        private UrmaContext context;

        @Override
        public int uid() {
            return UserIds.effective();
        }

        @Override
        public void open(String runtimeDirectory) {
            var timeout = ContextOptions.DEFAULT.withImportTimeout(Duration.ofSeconds(1));
            context = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtimeDirectory)))
                    .device("shm0")
                    .openContext(0, timeout);
        }

        @Override
        public void importSegment(SharedSegment shared) {
            context.importSegment(shared);
        }

        @Override
        public List<String> names() {
            return context.publishedNames().stream().map(PublishedName::name).toList();
        }

        @Override
        public int flood(String runtimeDirectory, String socket, long millis) {
            int connected = 0;
            try (var directory = Dir.open(Path.of(runtimeDirectory));
                    var arena = Arena.ofConfined()) {
                var nonsense = arena.allocate(64);
                for (long end = System.nanoTime() + millis * 1_000_000; System.nanoTime() - end < 0; ) {
                    try (var connection = UnixSocket.connect(directory, socket)) {
                        connection.send(nonsense);
                        connected++;
                    } catch (LibcException e) {
                        Thread.onSpinWait(); // too many wait at the door
                    }
                }
            }
            return connected;
        }

        @Override
        public String speakTo(String runtimeDirectory, String socket) {
            try (var directory = Dir.open(Path.of(runtimeDirectory));
                    var connection = UnixSocket.connect(directory, socket);
                    var arena = Arena.ofConfined()) {
                connection.send(arena.allocate(64));
                Poll.await(connection.fd(), Poll.IN, 10_000);
                int count = connection.receive(SocketInbox.ofTrustedPeers(4096));
                return count == UnixSocket.PEER_GONE ? "hung up" : count + " bytes";
            } catch (LibcException e) {
                return e.toString();
            }
        }
    }

    @BeforeEach
    void open() throws Exception {
        assumeTrue(UserIds.effective() == 0, "skipped: only root can run a process of another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "skipped: there is no setpriv to change the user");
        directory = Files.createTempDirectory("urma-user-");
        readable = Files.createTempDirectory("urma-other-");
        Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rwxr-xr-x"));
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
        var context = urma.device("shm0").openContext();
        segment = context.register(context.allocate(4096), Access.READ_WRITE);
        segment.publish("secret");
        other = DriverProcess.start(
                IntruderProcess.class,
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
                copyOfTheLibrary());
    }

    /** Our classes may lie in a home directory, where the other user cannot look. */
    private String copyOfTheLibrary() throws IOException, URISyntaxException {
        List<String> copies = new ArrayList<>();
        for (Class<?> part : List.of(Urma.class, Fd.class, ShmProvider.class, TckDriver.class, OtherUserIT.class)) {
            Path from = Path.of(
                    part.getProtectionDomain().getCodeSource().getLocation().toURI());
            Path to = readable.resolve(part.getSimpleName() + (Files.isDirectory(from) ? "" : ".jar"));
            copy(from, to);
            copies.add(to.toString());
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.copy(file, copy);
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        if (other != null) {
            other.close();
        }
        if (urma != null) {
            urma.close();
            remove(directory);
            remove(readable);
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** S13.3: another user's library does not open our runtime directory. */
    @Rule("S13.3")
    @Test
    void directoryOfOneUserIsRefusedToAnother() {
        var intruder = other.root(Intruder.class);

        assertThat(intruder.uid()).isEqualTo(NOBODY);
        assertThatThrownBy(() -> intruder.open(directory.toString()))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining(directory.toString());
    }

    /** The directory's owner may search what lies above it, and not read it. */
    @Test
    void directoryBelowOneThatMayOnlyBeSearchedIsOpened() throws IOException {
        Path above = Files.createDirectory(readable.resolve("above"));
        Path own = Files.createDirectory(above.resolve("own"));
        Files.setAttribute(own, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwx--x--x"));

        other.root(Intruder.class).open(own.toString());

        assertThat(own.resolve("names")).isDirectory();
    }

    /** S13.3: another user's own runtime directory has none of our names, and reaches no home of ours, token or not. */
    @Rule("S13.3")
    @Test
    void homeOfOneUserIsNotReachedByAnother() throws IOException {
        var intruder = other.root(Intruder.class);
        Path own = Files.createDirectory(readable.resolve("own"));
        Files.setAttribute(own, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
        intruder.open(own.toString());

        assertThat(intruder.names()).isEmpty();
        assertThatThrownBy(() -> intruder.importSegment(new SharedSegment(segment.descriptor(), segment.token())))
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isIn(UrmaStatus.ETIMEOUT, UrmaStatus.ENOPERM));
        assertThat(segment.importers()).isEmpty();
    }

    /** S13.3: even with wrong file permissions, the home checks the peer's user id, and closes the connection. */
    @Rule("S13.3")
    @Test
    void homeHangsUpOnAnotherUserThatReachesItsSocket() throws IOException {
        var intruder = other.root(Intruder.class);
        Path socket = openToEverybody();

        assertThat(intruder.speakTo(directory.toString(), socket.getFileName().toString()))
                .isEqualTo("hung up");
        assertThat(segment.importers()).isEmpty();
    }

    /** Each refused connection costs the engine a little; honest peers are served meanwhile. */
    @Test
    void floodOfAnotherUserDelaysNoHonestPeer() throws Exception {
        var intruder = other.root(Intruder.class);
        try (UrmaContext honest = urma.device("shm0").openContext()) { // one that came later would refuse the directory
            String socket = segment.descriptor().endpoints().getFirst().address();
            openToEverybody();
            AtomicInteger connected = new AtomicInteger(-1);
            Thread flood = Thread.ofVirtual()
                    .start(() -> connected.set(intruder.flood(directory.toString(), socket, FLOOD_MILLIS)));
            int served = 0;
            long longestNanos = 0;
            while (flood.isAlive()) {
                long start = System.nanoTime();
                honest.importSegment(segment.descriptor(), segment.token()).close();
                longestNanos = Math.max(longestNanos, System.nanoTime() - start);
                served++;
            }

            System.out.printf(
                    "OtherUserIT: uid %d connected %,d times; %,d honest imports meanwhile, the longest in %d ms%n",
                    NOBODY, connected.get(), served, longestNanos / 1_000_000);
            assertThat(connected.get()).isPositive();
            assertThat(served).isPositive();
            assertThat(Duration.ofNanos(longestNanos)).isLessThan(Duration.ofSeconds(5));
        }
    }

    /** The home's socket. */
    private Path openToEverybody() throws IOException {
        var all = PosixFilePermissions.fromString("rwxrwxrwx");
        Files.setPosixFilePermissions(directory, all);
        Path socket =
                directory.resolve(segment.descriptor().endpoints().getFirst().address());
        Files.setPosixFilePermissions(socket, all);
        return socket;
    }
}
