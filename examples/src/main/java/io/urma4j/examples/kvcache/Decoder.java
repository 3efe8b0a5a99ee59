package io.urma4j.examples.kvcache;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Fetches the blocks of each request, layer by layer, verifies them, and gives them back. Its own memory is the host's. For one
 * thread; its context closes what it made.
 */
final class Decoder {
    private static final Duration TURN = Duration.ofMillis(100);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

    private final CacheShape shape;
    private final Link link;
    private final List<RemoteSegment> layers;
    private final BooleanSupplier producerIsGone;
    private final LocalSegment memory;
    private final Fetcher fetcher;
    private final Figures figures = new Figures();
    private final Request request = new Request();
    private final int[] places;

    /**
     * A decoder that has fetched nothing.
     *
     * @param layers the producer's, imported
     * @param producerIsGone cheap; asked while no request comes
     */
    Decoder(
            UrmaContext context,
            CacheShape shape,
            Link link,
            List<RemoteSegment> layers,
            BooleanSupplier producerIsGone) {
        this.shape = shape;
        this.link = link;
        this.layers = layers;
        this.producerIsGone = producerIsGone;
        int count = shape.requestBlocks();
        this.memory = context.register(context.allocate((long) count * shape.blockBytes()), Access.LOCAL_ONLY);
        this.fetcher = new Fetcher(link, memory, shape.blockBytes());
        this.places = new int[count];
        for (int i = 0; i < count; i++) {
            places[i] = count - 1 - i; // not in the order of the request
        }
    }

    Figures figures() {
        return figures;
    }

    /**
     * Serves requests for that time.
     *
     * @throws CacheException if the producer is gone, or sends what no producer sends
     */
    void run(Duration duration) throws InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - end < 0) {
            awaitRequest();
            serve();
        }
    }

    private void awaitRequest() throws InterruptedException {
        long deadline = System.nanoTime() + REQUEST_TIMEOUT.toNanos();
        while (!link.receive(TURN, (bytes, _) -> take(bytes))) {
            if (producerIsGone.getAsBoolean() || layers.getFirst().isRevoked()) {
                throw new CacheException("the producer is gone after " + figures.requests() + " requests");
            }
            if (System.nanoTime() - deadline > 0) {
                throw new CacheException("the producer sent no request for " + REQUEST_TIMEOUT.toSeconds() + " s");
            }
        }
    }

    private void take(MemorySegment message) {
        if (!request.load(message, shape) || request.count > places.length) {
            throw new CacheException("the producer sent a request of " + message.byteSize() + " bytes that is none");
        }
    }

    private void serve() throws InterruptedException {
        int last = layers.size() - 1;
        for (int layer = 0; layer <= last; layer++) {
            long begun = System.nanoTime();
            if (layer < last) {
                fetcher.fetch(layers.get(layer), request.blocks, places, request.count);
            } else {
                fetcher.fetchAndNotify(layers.get(layer), request.blocks, places, request.count, request.number);
            }
            long nanos = System.nanoTime() - begun;
            figures.fetched(request.count, (long) request.count * shape.blockBytes(), nanos);
            verify(layer);
        }
        figures.requestEnded();
    }

    private void verify(int layer) {
        for (int i = 0; i < request.count; i++) {
            MemorySegment block = memory.memory().asSlice((long) places[i] * shape.blockBytes(), shape.blockBytes());
            long wrong = BlockContent.mismatch(block, layer, request.blocks[i], request.generations[i]);
            if (wrong >= 0) {
                figures.wrongBlock();
                System.out.println("wrong: layer " + layer + ", block " + request.blocks[i] + ", generation "
                        + request.generations[i] + ", from byte " + wrong + " on");
            }
        }
    }
}
