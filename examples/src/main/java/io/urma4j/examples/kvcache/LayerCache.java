package io.urma4j.examples.kvcache;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerDeviceName;
import java.lang.foreign.MemorySegment;

/** The blocks of one layer, in memory of the host or of a device, registered once. For one thread; the library frees it. */
final class LayerCache {
    private final int layer;
    private final int blockBytes;
    private final LocalSegment segment;
    private final Copy copy;
    private final MemorySegment staging;

    /** Puts bytes of the host into the memory of the layer. */
    private interface Copy {
        void run(long offset, MemorySegment bytes);
    }

    private LayerCache(int layer, int blockBytes, LocalSegment segment, Copy copy, MemorySegment staging) {
        this.layer = layer;
        this.blockBytes = blockBytes;
        this.segment = segment;
        this.copy = copy;
        this.staging = staging;
    }

    /** Allocates and registers a layer; others may read it. */
    static LayerCache open(Urma urma, UrmaContext context, CacheMemory memory, CacheShape shape, int layer) {
        MemorySegment staging = context.allocate(shape.blockBytes()).segment();
        if (memory.device().isEmpty()) {
            LocalSegment segment = context.register(context.allocate(shape.layerBytes()), Access.READ);
            Copy copy = (offset, bytes) ->
                    segment.memory().asSlice(offset, bytes.byteSize()).copyFrom(bytes);
            return new LayerCache(layer, shape.blockBytes(), segment, copy, staging);
        }
        PeerDeviceName device = memory.device().get();
        DeviceMemory bytes = urma.peerMemory().allocate(device.client(), device.ordinal(), shape.layerBytes());
        LocalSegment segment = context.register(bytes, SegmentConfig.of(Access.READ));
        return new LayerCache(layer, shape.blockBytes(), segment, bytes::copyFrom, staging);
    }

    /** The line by which the decoder imports it. */
    String share() {
        return segment.share();
    }

    /** Fills a block, as a model would. The decoder does not have it now. */
    void fill(int block, long generation) {
        BlockContent.fill(staging, layer, block, generation);
        copy.run((long) block * blockBytes, staging);
    }
}
