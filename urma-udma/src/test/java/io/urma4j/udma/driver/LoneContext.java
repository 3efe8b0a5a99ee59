package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.AsyncEvent;
import io.urma4j.Eid;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PeerId;
import io.urma4j.PostFlags;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.tck.Patience;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.control.Peer;
import io.urma4j.udma.udp.PortOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** A context as its driver knows it, with an adapter of its own. */
final class LoneContext implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final Adapter adapter;
    final UdmaContext context;
    final Queue<AsyncEvent> events = new ConcurrentLinkedQueue<>();

    LoneContext(Path runtime, String address, int keys) {
        InetAddress inet = InetAddress.ofLiteral(address);
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(runtime);
        adapter = Adapter.open("udma9", Eid.of(inet), PortOptions.of(inet), CardOptions.DEFAULT.withMaxKeys(keys));
        context = UdmaContext.open("udma9", () -> {}, adapter, options, events::add);
    }

    /** Another user's context at the address of {@code original}, with a port of its own. It claims to be the original. */
    LoneContext(Path runtime, LoneContext original, int keys) {
        InetAddress inet = original.adapter.port().address();
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(runtime);
        adapter = Adapter.open(
                "udma9", original.adapter.eid(), PortOptions.of(inet), CardOptions.DEFAULT.withMaxKeys(keys));
        context = UdmaContext.open(
                "udma9",
                () -> {},
                adapter,
                options,
                events::add,
                original.context.incarnation(),
                always(original.context.uasid()));
    }

    private static RandomGenerator always(int number) {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                return number;
            }

            @Override
            public int nextInt(int origin, int bound) {
                return number;
            }
        };
    }

    /** The identity that it claims. */
    PeerId peerId() {
        return new PeerId(context.eid(), context.uasid(), context.incarnation());
    }

    /** Greets {@code home}, and imports nothing from it. */
    void greet(LoneContext home) {
        ControlEngine engine = adapter.engine();
        engine.ask(() -> context.peers()
                        .connect(home.adapter.address(), home.context.incarnation(), engine.deadline(PATIENCE)))
                .join();
    }

    /** Does that with each of its peers, on the engine's thread. */
    void withPeers(Consumer<Peer> action) {
        adapter.engine()
                .ask(() -> {
                    context.peers().plane().peers().forEach(action);
                    return CompletableFuture.completedFuture(null);
                })
                .join();
    }

    /** Loses all of its peers, which live on. */
    void losePeers(String why) {
        withPeers(one -> context.peers().plane().lose(one, why));
    }

    /** The status of a WRITE of as many bytes, each {@code content}. In a queue of its own, since a refusal ends one. */
    int statusOfWrite(ProviderImport target, long offset, int lengthBytes, int content) {
        MemorySegment payload = Arena.ofAuto().allocate(lengthBytes);
        payload.fill((byte) content);
        WorkRequest write = new WorkRequest(1);
        write.opcode = Opcode.WRITE.value();
        write.flags = PostFlags.SIGNALLED_BIT;
        write.remote = target;
        write.remoteOffset = offset;
        write.lengthBytes = lengthBytes;
        write.inline = payload;
        return statusOf(write);
    }

    /** The status of a READ, whose bytes go to {@code destination}. */
    int statusOfRead(ProviderImport source, long offset, ProviderSegment destination, long lengthBytes) {
        WorkRequest read = new WorkRequest(1);
        read.opcode = Opcode.READ.value();
        read.flags = PostFlags.SIGNALLED_BIT;
        read.remote = source;
        read.remoteOffset = offset;
        read.lengthBytes = lengthBytes;
        read.sgeCount = 1;
        read.sgeSegment[0] = destination;
        read.sgeLength[0] = lengthBytes;
        return statusOf(read);
    }

    private int statusOf(WorkRequest request) {
        ProviderJfc jfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
        ProviderSendQueue queue = context.createSendQueue(JfsConfig.DEFAULT, jfc, null, null);
        assertThat(queue.post(request)).isTrue();
        long[] words = new long[CompletionRecord.WORDS];
        Patience.await("a record", () -> jfc.poll(words, 1) == 1);
        return CompletionRecord.status(words[0]);
    }

    @Override
    public void close() {
        context.close(Duration.ofSeconds(10)).join();
        adapter.close();
    }
}
