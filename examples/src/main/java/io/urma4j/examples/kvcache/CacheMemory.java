package io.urma4j.examples.kvcache;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.examples.blockstore.Options;
import io.urma4j.peer.PeerDeviceName;
import java.util.Optional;

/**
 * Where the producer has its layers.
 *
 * @param device empty for memory of the host
 */
record CacheMemory(Optional<PeerDeviceName> device) {
    /** Of a simulated NPU; only used pages take memory of the host. */
    private static final long SIMULATED_BYTES = 8L << 30;

    private static final String HOST = "host";

    /** Parses {@code --memory}. */
    static CacheMemory of(Options options) {
        String text = options.text("--memory", HOST);
        try {
            return new CacheMemory(text.equals(HOST) ? Optional.empty() : Optional.of(PeerDeviceName.parse(text)));
        } catch (UrmaException e) {
            throw new Options.UsageException("--memory is '" + text + "', must be host, npu:N or cuda:N");
        }
    }

    /** The options of a library that has this memory. */
    UrmaOptions options(UrmaOptions options) {
        return device.map(name -> name.simulatedIn(options, SIMULATED_BYTES)).orElse(options);
    }

    @Override
    public String toString() {
        return device.map(PeerDeviceName::toString).orElse(HOST);
    }
}
