package io.urma4j.examples.kvcache;

import io.urma4j.examples.blockstore.Options;

/**
 * The size of a cache: each layer has as many blocks, of the same length.
 *
 * @param layers 1…128
 * @param blocks of each layer, 2…65536
 * @param blockBytes 8 bytes to 1 MiB, a multiple of 8
 */
record CacheShape(int layers, int blocks, int blockBytes) {
    private static final long MAX_BYTES = 4L << 30;

    /** Parses {@code --layers}, {@code --blocks} and {@code --block-size}. */
    static CacheShape of(Options options) {
        int layers = (int) options.number("--layers", 8, 1, 128);
        int blocks = (int) options.number("--blocks", 256, 2, 65_536);
        int blockBytes = (int) options.number("--block-size", 16_384, 8, 1 << 20);
        CacheShape shape = new CacheShape(layers, blocks, blockBytes);
        if (blockBytes % 8 != 0) {
            throw new Options.UsageException("--block-size is '" + blockBytes + "', must be a multiple of 8");
        }
        if (shape.layerBytes() * layers > MAX_BYTES) {
            throw new Options.UsageException("--layers, --blocks and --block-size make " + shape.layerBytes() * layers
                    + " bytes, must be at most " + MAX_BYTES);
        }
        return shape;
    }

    long layerBytes() {
        return (long) blocks * blockBytes;
    }

    /** Blocks of a request: a part of the cache, so that the producer fills others meanwhile. */
    int requestBlocks() {
        return Math.min(Request.MAX_BLOCKS, blocks / 2);
    }
}
