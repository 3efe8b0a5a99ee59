package io.urma4j.examples.kvcache;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.examples.blockstore.Options;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The process that fills the cache. It prints the lines by which the decoder reaches it, reads the decoder's line, and then fills
 * blocks and says so, as long as there are free ones. It ends with its standard input.
 */
public final class Producer {
    /** Before the line of a layer, and of the Jetty. */
    static final String LAYER = "layer ";

    static final String JETTY = "jetty ";

    /** What the decoder has at once; fewer than its receive buffers, so that no message waits at its end. */
    private static final int MAX_REQUESTS = Link.SLOTS / 2;

    private static final Duration TURN = Duration.ofMillis(50); // until it sees that its input has ended

    private final CacheShape shape;
    private final List<LayerCache> layers;
    private final Link link;
    private final FreeBlocks free;
    private final Request request = new Request();
    private volatile boolean ending;

    private Producer(CacheShape shape, List<LayerCache> layers, Link link) {
        this.shape = shape;
        this.layers = layers;
        this.link = link;
        this.free = new FreeBlocks(shape.blocks(), 1);
    }

    /** Options: {@code --device --memory --layers --blocks --block-size}. */
    public static void main(String[] line) throws Exception {
        Options options = Options.parse(line, "--device", "--memory", "--layers", "--blocks", "--block-size");
        try {
            produce(options);
        } catch (UrmaException | CacheException e) {
            System.err.println("producer: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void produce(Options options) throws IOException, InterruptedException {
        CacheShape shape = CacheShape.of(options);
        CacheMemory memory = CacheMemory.of(options);
        String device = options.text("--device", "shm0");
        try (Urma urma = Urma.open(memory.options(KvCache.options(device)));
                UrmaContext context = urma.device(device).openContext()) {
            List<LayerCache> layers = new ArrayList<>();
            for (int layer = 0; layer < shape.layers(); layer++) {
                layers.add(LayerCache.open(urma, context, memory, shape, layer));
            }
            Link link = new Link(context);
            layers.forEach(layer -> System.out.println(LAYER + layer.share()));
            System.out.println(JETTY + link.share());
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String decoder = input.readLine();
            if (decoder != null) {
                link.connect(decoder);
                new Producer(shape, layers, link).run(input);
            }
        }
    }

    private void run(BufferedReader input) throws InterruptedException {
        Thread.ofPlatform().name("stdin").daemon().start(() -> awaitEnd(input));
        while (!ending) {
            if (free.requests() < MAX_REQUESTS && free.count() >= shape.requestBlocks()) {
                fill();
            } else {
                var _ = link.receive(TURN, (_, immediate) -> giveBack(immediate));
            }
        }
    }

    private void awaitEnd(BufferedReader input) {
        try {
            while (input.readLine() != null) {
                // the decoder says no more
            }
        } catch (IOException e) {
            // the same as its end
        }
        ending = true;
    }

    /** Fills blocks of a new generation in all layers, and hands them to the decoder. */
    private void fill() throws InterruptedException {
        free.take(request, shape.requestBlocks());
        for (LayerCache layer : layers) {
            for (int i = 0; i < request.count; i++) {
                layer.fill(request.blocks[i], request.generations[i]);
            }
        }
        link.send(request.store(link.out()));
    }

    private void giveBack(long number) {
        if (!free.giveBack((int) number)) {
            throw new CacheException("the decoder gives back request " + number + ", which it does not have");
        }
    }
}
