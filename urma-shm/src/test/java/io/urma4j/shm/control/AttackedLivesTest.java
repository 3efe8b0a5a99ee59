package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.MemFd;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Contexts that open, serve and close while two attackers send to every socket of the runtime directory. */
@Timeout(600) // a full run takes three minutes on a busy machine
class AttackedLivesTest {
    private static final int LIVES = Boolean.getBoolean("urma.full") ? 2_000 : 100;
    private static final Duration LONGEST_LIFE = Duration.ofSeconds(20);

    @TempDir
    Path temporary;

    @Test
    void contextsBeginAndEndAmongTwoAttackers() throws Exception {
        Path directory = temporary.resolve("runtime");
        new TestContext(directory).close();
        List<String> before = descriptors(directory);
        long longestNanos = 0;
        AtomicLong attacks = new AtomicLong();
        try (Attacker one = new Attacker(directory, attacks, 1);
                Attacker other = new Attacker(directory, attacks, 2)) {
            for (int life = 0; life < LIVES; life++) {
                long start = System.nanoTime();
                try (TestContext home = new TestContext(directory);
                        TestContext honest = new TestContext(directory)) {
                    get(honest.importFrom(home.share(Access.READ), Access.READ).close());
                }
                longestNanos = Math.max(longestNanos, System.nanoTime() - start);
            }
            assertThat(List.of(one.trouble, other.trouble)).containsOnly("");
        }

        System.out.printf(
                "AttackedLivesTest: %d pairs of contexts opened, served and closed among %,d attacks; the longest in %d ms%n",
                LIVES, attacks.get(), longestNanos / 1_000_000);
        assertThat(attacks.get()).isGreaterThan(LIVES);
        assertThat(Duration.ofNanos(longestNanos)).isLessThan(LONGEST_LIFE);
        await().untilAsserted(() -> assertThat(descriptors(directory)).isEqualTo(before));
        assertThat(sockets(directory)).as("sockets left").isEmpty();
    }

    /** Without the memory that homes shared, which is the test's, and without what earlier tests left to the collector. */
    private static List<String> descriptors(Path directory) throws IOException {
        return OpenDescriptors.ofContexts(directory).stream()
                .filter(target -> !target.startsWith("/memfd:"))
                .toList();
    }

    private static List<Path> sockets(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{32}"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Greets or not, and says what it likes, with descriptors or without. */
    private static final class Attacker implements AutoCloseable {
        private final Path directory;
        private final AtomicLong attacks;
        private final Random random;
        private final Thread thread;
        private volatile boolean ended;
        private volatile String trouble = "";

        Attacker(Path directory, AtomicLong attacks, long seed) {
            this.directory = directory;
            this.attacks = attacks;
            this.random = new Random(seed);
            this.thread = Thread.ofPlatform().name("attacker " + seed).start(this::run);
        }

        private void run() {
            try (Fd memory = MemFd.create("attack", 4096)) {
                while (!ended) {
                    for (Path socket : sockets(directory)) {
                        attack(socket.getFileName().toString(), memory);
                    }
                }
            } catch (RuntimeException e) {
                trouble = e.toString();
            }
        }

        private void attack(String address, Fd memory) {
            List<RawPeer> peers = new ArrayList<>();
            try {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    RawPeer peer = RawPeer.connectedTo(directory, address);
                    peers.add(peer);
                    byte[] nonsense = new byte[random.nextInt(1, 200)];
                    random.nextBytes(nonsense);
                    switch (random.nextInt(4)) {
                        case 0 -> peer.sendBytes(ByteBuffer.wrap(nonsense), memory);
                        case 1 -> peer.send(RawPeer.hello(random.nextLong(), random.nextInt()), memory);
                        case 2 -> peer.sendBytes(ControlCodec.encode(new Lookup(1, "absent", false)), memory);
                        default -> peer.send(new OpenWindows(1), memory);
                    }
                    attacks.incrementAndGet();
                }
            } catch (LibcException e) {
                // its context is gone, or too many wait at its door
            } finally {
                peers.forEach(RawPeer::close);
            }
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
