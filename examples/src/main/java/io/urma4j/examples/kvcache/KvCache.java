package io.urma4j.examples.kvcache;

import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.examples.blockstore.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command, and the process of the decoder: starts the producer, fetches for a while, and reports. */
public final class KvCache {
    private static final String ADDRESSES = "urma.udma.addresses";

    private static final String HELP = """
            Usage: run [--device D] [--memory M] [--layers N] [--blocks N] [--block-size S] [--seconds T]

            A producer process fills the blocks of a key-value cache, layer by layer. This process fetches them by index
            lists, verifies each block, and gives the blocks back, so that the producer fills them anew.

              --device D       shm0 or udma0 (shm0)
              --memory M       where the producer has its layers: host, npu:N, which is simulated, or cuda:N (host)
              --layers N       1…128 (8)
              --blocks N       of each layer, 2…65536 (256)
              --block-size S   bytes, 8…1048576, a multiple of 8 (16384)
              --seconds T      how long (5)

            Exit code 0: blocks were fetched, none was wrong, and the producer ended well. 1: otherwise. 2: an option is
            wrong.
            """;

    private KvCache() {}

    /** The options are those of the help. */
    public static void main(String[] line) throws Exception {
        System.exit(run(line));
    }

    private static int run(String... line) throws IOException, InterruptedException {
        if (List.of(line).contains("--help")) {
            System.out.print(HELP);
            return 0;
        }
        try {
            Options options =
                    Options.parse(line, "--device", "--memory", "--layers", "--blocks", "--block-size", "--seconds");
            return decode(options, withoutSeconds(line));
        } catch (Options.UsageException e) {
            System.err.println("run: " + e.getMessage() + " (--help lists the options)");
            return 2;
        } catch (CacheException | UrmaException e) {
            System.err.println("run: " + e.getMessage());
            return 1;
        }
    }

    /** The options of the producer: all but how long the decoder runs. */
    private static List<String> withoutSeconds(String... line) {
        List<String> others = new ArrayList<>(Arrays.asList(line));
        int at = others.indexOf("--seconds");
        if (at >= 0) {
            others.subList(at, at + 2).clear();
        }
        return others;
    }

    private static int decode(Options options, List<String> producerOptions) throws IOException, InterruptedException {
        CacheShape shape = CacheShape.of(options);
        CacheMemory memory = CacheMemory.of(options);
        Duration duration = Duration.ofMillis((long) (options.fraction("--seconds", 5, 86_400) * 1000));
        String device = options.text("--device", "shm0");
        if (!device.matches("[a-z]+[0-9]+")) {
            throw new Options.UsageException("--device is '" + device + "', must be a device such as shm0 or udma0");
        }
        System.out.println("Key-value cache on " + device + ", memory " + memory + ": " + shape.layers() + " layers of "
                + shape.blocks() + " blocks of " + shape.blockBytes() + " bytes");
        try (Urma urma = Urma.open(options(device));
                UrmaContext context = urma.device(device).openContext();
                ProducerProcess producer = ProducerProcess.start(producerOptions)) {
            Decoder decoder = connected(context, shape, producer);
            System.out.println("The producer is process " + producer.pid());
            decoder.run(duration);
            boolean endedWell = producer.end();
            System.out.print(decoder.figures().text(shape.requestBlocks()));
            boolean isGood = endedWell && decoder.figures().isGood();
            System.out.println(isGood ? "PASSED" : endedWell ? "FAILED" : "FAILED: the producer did not end well");
            return isGood ? 0 : 1;
        }
    }

    private static Decoder connected(UrmaContext context, CacheShape shape, ProducerProcess producer)
            throws IOException {
        List<RemoteSegment> layers = new ArrayList<>();
        for (int layer = 0; layer < shape.layers(); layer++) {
            layers.add(context.importSegment(SharedSegment.parse(producer.line(Producer.LAYER))));
        }
        Link link = new Link(context);
        link.connect(producer.line(Producer.JETTY));
        producer.say(link.share());
        return new Decoder(context, shape, link, layers, producer::isGone);
    }

    /** The options of a library on that device: without a setting, packets stay on this host. */
    static UrmaOptions options(String device) {
        UrmaOptions options = UrmaOptions.DEFAULT;
        boolean isOpen = device.startsWith("udma") && options.setting(ADDRESSES).isEmpty();
        return isOpen ? options.withSetting(ADDRESSES, "127.0.0.1") : options;
    }
}
