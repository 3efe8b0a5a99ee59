package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.EventFd;
import io.urma4j.libc.Fd;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How much may wait on one connection, in either direction. */
@Timeout(60)
class ConnectionTest {
    private static final int MAX_PENDING = 4096;
    private static final int MAX_PENDING_DESCRIPTORS = 1024;
    private static final int MAX_UNTAKEN = 16;

    @TempDir
    Path directory;

    private final AtomicInteger turns = new AtomicInteger();
    private final CompletableFuture<Void> engineEnded = new CompletableFuture<>();
    private final Engine engine = new Engine("test-engine", this::turn, () -> engineEnded.complete(null));
    private final List<ControlMessage> messages = new CopyOnWriteArrayList<>();
    private final List<String> ends = new CopyOnWriteArrayList<>();
    private final Connection.Receiver receiver = new Connection.Receiver() {
        @Override
        public void received(Connection from, ControlMessage message, List<Fd> descriptors) {
            messages.add(message);
        }

        @Override
        public void ended(Connection ended, String why) {
            ends.add(why);
        }
    };
    private UnixSocket listener;
    private RawPeer other;
    private Connection connection;

    private long turn(long nowNanos) {
        turns.incrementAndGet();
        return Long.MAX_VALUE;
    }

    @BeforeEach
    void connect() throws Exception {
        try (Dir place = Dir.open(directory)) {
            listener = UnixSocket.listen(place, "socket", 8);
        }
        other = RawPeer.connectedTo(directory, "socket");
        engine.start();
        connection = onEngine(() -> new Connection(engine, listener.accept().orElseThrow(), receiver));
    }

    @AfterEach
    void end() throws Exception {
        onEngine(() -> {
            connection.close();
            return true;
        });
        engine.execute(engine::stop);
        get(engineEnded);
        other.close();
        listener.close();
        Files.delete(directory.resolve("socket"));
    }

    private <T> T onEngine(Callable<T> step) throws Exception {
        return TestContext.on(engine, step);
    }

    /** Sends until a message waits; the number of messages so far. */
    private int fillSocket(Fd... descriptors) throws Exception {
        return onEngine(() -> {
            int sent = 0;
            while (!connection.hasPending()) {
                connection.send(new Done(sent++), descriptors);
            }
            return sent;
        });
    }

    /** Sends that number of messages more; whether the connection is still open. */
    private boolean sends(int count, Fd... descriptors) throws Exception {
        return onEngine(() -> {
            for (int i = 0; i < count; i++) {
                connection.send(new Done(i), descriptors);
            }
            return !connection.isClosed();
        });
    }

    private long eventFds() throws Exception {
        return OpenDescriptors.ofContexts(directory).stream()
                .filter("anon_inode:[eventfd]"::equals)
                .count();
    }

    // ---- what waits to be sent

    @Test
    void messagesThatWaitArriveInOrderAndCostNothingAfterwards() throws Exception {
        int sent = fillSocket();
        onEngine(() -> {
            for (int i = 0; i < 500; i++) {
                connection.send(new Done(sent + i));
            }
            return true;
        });

        for (int i = 0; i < sent + 500; i++) {
            assertThat(other.receive()).contains(new Done(i));
        }

        assertThat(onEngine(connection::hasPending)).isFalse();
        int before = turns.get();
        await().pollDelay(Duration.ofMillis(100)).until(() -> turns.get() <= before + 2);
    }

    @Test
    void atMost4096MessagesWait() throws Exception {
        fillSocket();
        assertThat(sends(MAX_PENDING - 1)).as("at the limit").isTrue();

        assertThat(sends(1)).as("beyond it").isFalse();

        assertThat(ends).singleElement().asString().contains("unread");
    }

    /** S7.9: a context that ends revokes all grants of a peer in one step. */
    @Test
    void revocationsWaitBeyondThatLimit() throws Exception {
        int sent = fillSocket();
        boolean open = onEngine(() -> {
            for (int i = 0; i < 2 * MAX_PENDING; i++) {
                connection.send(new Revoke(i));
            }
            return !connection.isClosed();
        });

        assertThat(open).isTrue();
        for (int i = 0; i < sent; i++) {
            assertThat(other.receive()).contains(new Done(i));
        }
        for (int i = 0; i < 2 * MAX_PENDING; i++) {
            assertThat(other.receive()).contains(new Revoke(i));
        }
    }

    @Test
    void messagesWithAtMost1024DescriptorsWait() throws Exception {
        try (EventFd event = EventFd.create()) {
            fillSocket(event.fd());
            long before = eventFds();
            assertThat(sends(MAX_PENDING_DESCRIPTORS - 1, event.fd()))
                    .as("at the limit")
                    .isTrue();
            assertThat(eventFds() - before).as("each has its duplicate").isEqualTo(MAX_PENDING_DESCRIPTORS - 1);

            assertThat(sends(1, event.fd())).as("beyond it").isFalse();

            assertThat(eventFds()).as("all duplicates are closed").isEqualTo(before - 1);
        }
    }

    @Test
    void descriptorsThatWereSentNoLongerCount() throws Exception {
        try (EventFd event = EventFd.create()) {
            for (int round = 0; round < 2; round++) {
                int sent = fillSocket(event.fd());
                assertThat(sends(MAX_PENDING_DESCRIPTORS - 1, event.fd())).isTrue();
                for (int i = 0; i < sent + MAX_PENDING_DESCRIPTORS - 1; i++) {
                    assertThat(other.receive()).isPresent();
                    other.received.removeLast().close();
                }
            }
        }
    }

    @Test
    void aClosedConnectionSendsNothing() throws Exception {
        onEngine(() -> {
            connection.close();
            connection.send(new Done(1));
            connection.end("a second time");
            return true;
        });

        assertThat(other.receive()).isEmpty();
        assertThat(ends).isEmpty();
    }

    // ---- what arrives

    @Test
    void aConnectionEndsOnce() throws Exception {
        other.close();
        await().until(() -> ends.size() == 1);

        onEngine(() -> {
            connection.end("again");
            connection.drain();
            return true;
        });

        assertThat(ends).containsExactly("its connection ended");
    }

    @Test
    void allMessagesBeforeTheEndAreReceived() throws Exception {
        for (int i = 0; i < 100; i++) {
            other.send(new Lookup(i, "x", false));
        }
        other.close();

        await().until(() -> ends.size() == 1);

        assertThat(messages).hasSize(100).last().isEqualTo(new Lookup(99, "x", false));
    }

    @Test
    void anUnknownCallerIsNotExplainedWhatIsWrong() throws Exception {
        other.sendBytes(ByteBuffer.wrap(new byte[] {(byte) 200, 1, 0, 0, 0, 0, 0, 0, 0}));

        assertThat(other.receive()).isEmpty();
        await().until(() -> !ends.isEmpty()); // the socket is closed before that
        assertThat(ends).singleElement().asString().contains("broke the protocol");
    }

    @Test
    void aPeerIsExplainedWhatIsWrong() throws Exception {
        becomePeer();
        other.sendBytes(ByteBuffer.wrap(new byte[] {(byte) 200, 1, 0, 0, 0, 0, 0, 0, 0}));

        assertThat(other.receive(Refused.class).status()).isEqualTo(UrmaStatus.FAIL);
        assertThat(other.receive()).isEmpty();
    }

    private void becomePeer() throws Exception {
        onEngine(() -> {
            connection.handTo(receiver);
            return true;
        });
    }

    @Test
    void aWakeUpOfAPeerIsNoMessage() throws Exception {
        becomePeer();
        other.wake();
        other.send(new Lookup(1, "x", false));

        await().until(() -> !messages.isEmpty());

        assertThat(messages).containsExactly(new Lookup(1, "x", false));
        assertThat(ends).isEmpty();
    }

    @Test
    void aWakeUpWithADescriptorBreaksTheProtocol() throws Exception {
        becomePeer();
        try (EventFd event = EventFd.create()) {
            other.sendBytes(ByteBuffer.wrap(new byte[1]), event.fd());

            await().until(() -> ends.size() == 1);
        }
    }

    @Test
    void anUnknownCallerIsNotHeardWhileTheCloserIsBehindAndIsHeardAfterwards() throws Exception {
        try (var _ = new BusyCloser(engine.closer())) {
            other.send(new Lookup(1, "x", false));
            await().pollDelay(Duration.ofMillis(50)).until(() -> messages.isEmpty());
            assertThat(onEngine(connection::isClosed)).isFalse();
        }

        await().until(() -> messages.size() == 1);
        other.send(new Lookup(2, "x", false));
        await().until(() -> messages.size() == 2);
    }

    @Test
    void aPeerWithFewUnwantedDescriptorsIsHeardWhileTheCloserIsBehind() throws Exception {
        becomePeer();
        try (EventFd event = EventFd.create();
                var _ = new BusyCloser(engine.closer())) {
            for (int i = 1; i <= MAX_UNTAKEN + 1; i++) {
                other.send(new Lookup(i, "x", false), event.fd());
                int received = i;
                await().until(() -> messages.size() == received);
            }

            other.send(new Lookup(99, "x", false));

            await().pollDelay(Duration.ofMillis(50)).until(() -> messages.size() == MAX_UNTAKEN + 1);
        }
        await().until(() -> messages.size() == MAX_UNTAKEN + 2);
    }

    @Test
    void theEndOfAnUnknownCallerIsNoticedWhileTheCloserIsBehind() throws Exception {
        try (var _ = new BusyCloser(engine.closer())) {
            other.close();

            await().until(() -> ends.size() == 1);
        }
    }

    @Test
    void answersAreSentWhileTheCloserIsBehind() throws Exception {
        int sent = fillSocket();
        try (var _ = new BusyCloser(engine.closer())) {
            other.send(new Lookup(1, "x", false));
            await().pollDelay(Duration.ofMillis(50)).until(() -> messages.isEmpty());

            for (int i = 0; i < sent; i++) {
                assertThat(other.receive()).contains(new Done(i));
            }
        }
        await().until(() -> messages.size() == 1);
    }
}
