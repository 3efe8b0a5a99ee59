package io.urma4j.examples.blockstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.MessageChannel;
import io.urma4j.UrmaContext;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.RemoteBufCodec;
import io.urma4j.examples.blockstore.Reply.Status;
import io.urma4j.examples.blockstore.Request.Kind;
import io.urma4j.examples.blockstore.store.BlockStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever one client sends, the server refuses it by name and serves the others. */
@ParameterizedClass
@ValueSource(strings = {"shm0", "udma0"})
@Timeout(60)
class HostileClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LENGTH = 4096;

    @Parameter
    String device;

    @TempDir
    Path folder;

    private InProcessServer server;

    private UrmaContext context; // of the hostile client
    private MessageChannel channel;
    private MessageChannel.Peer toServer;
    private RegisteredBufferPool pool;
    private Peer identity;
    private long session;

    @BeforeEach
    void greet() throws IOException {
        server = new InProcessServer(folder, device);
        context = server.urma().device(device).openContext();
        channel = context.openMessageChannel();
        pool = RegisteredBufferPool.open(PoolConfig.builder(64 << 20).build(), context);
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            toServer = channel.connect("name:" + InProcessServer.NAME);
            return true;
        });
        toServer.sendWithReply(bytesOf(Request.hello(1)), OptionalLong.empty());
        Reply welcome = reply();
        assertThat(welcome.status()).isEqualTo(Status.WELCOME);
        session = welcome.session();
        identity = Peer.parse(welcome.text());
    }

    @AfterEach
    void end() throws Exception {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.leases()).isZero());
        server.end();
    }

    private static MemorySegment bytesOf(Request request) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Head.BYTES]);
        request.write(bytes);
        return bytes;
    }

    private Request request(Kind kind, long block, int lengthBytes) {
        return new Request(kind, session, 2, block, kind == Kind.WRITE ? 1 : 0, lengthBytes, 0);
    }

    private void send(Request request, RemoteBuf memory) {
        MemorySegment message = MemorySegment.ofArray(new byte[1024]);
        request.write(message);
        int memoryBytes = new RemoteBufCodec().encode(memory, message.asSlice(Head.BYTES));
        send(message.asSlice(0, Head.BYTES + memoryBytes));
    }

    private void send(MemorySegment message) {
        toServer.send(message, OptionalLong.empty());
    }

    private Reply reply() {
        return Reply.read(channel.receive(PATIENCE).orElseThrow().payload());
    }

    private void assertRefused(Status status, String reason) {
        Reply reply = reply();
        assertThat(reply.status()).as(reply.toString()).isEqualTo(status);
        assertThat(reply.text()).contains(reason);
        server.assertServes();
    }

    @Test
    void absurdBlockNumbersAndLengthsAreRefusedByName() {
        try (RdmaBuf buf = pool.acquire(LENGTH, PATIENCE)) {
            RemoteBuf memory = buf.exportTo(identity, buf.view(), Access.READ_WRITE);
            send(request(Kind.READ, Long.MAX_VALUE, LENGTH), memory);
            assertRefused(Status.BAD_REQUEST, "block is 9223372036854775807, must lie in 0");
            send(request(Kind.WRITE, -1, LENGTH), memory);
            assertRefused(Status.BAD_REQUEST, "block is -1");
            send(request(Kind.READ, 1, -5), memory);
            assertRefused(Status.BAD_REQUEST, "length is -5, must lie in 256");
            send(request(Kind.WRITE, 1, 255), memory);
            assertRefused(Status.BAD_REQUEST, "length is 255");
            send(request(Kind.WRITE, 1, Integer.MAX_VALUE), memory);
            assertRefused(Status.BAD_REQUEST, "length is 2147483647");
        }
    }

    @Test
    void lessMemoryOrAccessThanTheRequestNeedsIsRefused() {
        try (RdmaBuf buf = pool.acquire(LENGTH, PATIENCE)) {
            send(
                    request(Kind.WRITE, 1, LENGTH),
                    buf.exportTo(identity, buf.view().first(300), Access.READ));
            assertRefused(Status.BAD_REQUEST, "memory of 300 bytes for 4096");
            send(request(Kind.READ, 1, LENGTH), buf.exportTo(identity, buf.view(), Access.READ));
            assertRefused(Status.BAD_REQUEST, "was exported as READ, must be READ_WRITE");
        }
    }

    @Test
    void memoryOfAnotherProcessIsRefused() {
        try (UrmaContext victim = server.urma().device(device).openContext();
                RegisteredBufferPool theirs =
                        RegisteredBufferPool.open(PoolConfig.builder(64 << 20).build(), victim);
                RdmaBuf buf = theirs.acquire(LENGTH, PATIENCE)) {
            RemoteBuf foreign = buf.exportTo(identity, buf.view(), Access.READ_WRITE);

            send(request(Kind.WRITE, 1, LENGTH), foreign);

            assertRefused(Status.BAD_REQUEST, "belongs to another process");
        }
    }

    @Test
    void revokedMemoryEndsTheSessionAndNothingElse() {
        RemoteBuf late;
        try (RdmaBuf buf = pool.acquire(LENGTH, PATIENCE)) {
            late = buf.exportTo(identity, buf.view(), Access.READ_WRITE);
        }
        send(request(Kind.WRITE, 1, LENGTH), late);

        assertRefused(Status.RETRY, "");
        await().atMost(PATIENCE).until(() -> server.sessions() == 0);
    }

    @Test
    void aPayloadThatFailsItsChecksumIsNotStored() {
        try (RdmaBuf buf = pool.acquire(LENGTH, PATIENCE)) {
            buf.view().segment().fill((byte) 1);
            send(request(Kind.WRITE, 1, LENGTH), buf.exportTo(identity, buf.view(), Access.READ));

            assertRefused(Status.CORRUPT, "fail the checksum of the request");
            assertThat(server.store().find(1)).isEmpty();
        }
    }

    @Test
    void aRequestWithoutMemoryIsRefused() {
        send(bytesOf(request(Kind.READ, 1, LENGTH)));

        assertRefused(Status.BAD_REQUEST, "no memory follows the head");
    }

    @Test
    void randomMessagesAreCountedAndDropped() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            byte[] bytes = new byte[random.nextInt(1000)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                toServer.send(bytes);
            } else {
                toServer.sendWithReply(Arrays.copyOf(bytes, Math.min(bytes.length, 500)));
            }
        }

        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(server.refused()).as("seed " + seed).isEqualTo(300));
        server.assertServes();
    }

    @Test
    void aGuessedSessionIsOfNoUse() {
        try (UrmaContext thief = server.urma().device(device).openContext();
                MessageChannel theirs = thief.openMessageChannel()) {
            MessageChannel.Peer fromThief = theirs.connect("name:" + InProcessServer.NAME);
            fromThief.send(bytesOf(request(Kind.BYE, 1, LENGTH)), OptionalLong.empty());
            await().atMost(PATIENCE).until(() -> server.refused() == 1);
        }
        assertThat(server.sessions()).isOne();
    }

    @Test
    void moreRequestsThanCreditsAreRefusedAndTheServerGoesOn() {
        try (RdmaBuf buf = pool.acquire(BlockStore.MOST_BYTES, PATIENCE)) {
            RemoteBuf memory = buf.exportTo(identity, buf.view(), Access.READ_WRITE);
            for (int i = 0; i < 200; i++) {
                send(request(Kind.WRITE, 1, BlockStore.MOST_BYTES), memory);
            }
            int refused = 0;
            for (int i = 0; i < 200 && refused == 0; i++) {
                refused += reply().status() == Status.NO_CREDIT ? 1 : 0;
            }
            assertThat(refused).isOne();
            server.assertServes();
        }
    }
}
