package io.urma4j.peers;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.urma4j.bench.Cycles;
import java.util.Map;

/** Netty's allocators of direct memory, for urma-bench/numbers. */
public final class NettyBuffers {
    private static final Map<String, ByteBufAllocator> ALLOCATORS = Map.of(
            "pooled", new PooledByteBufAllocator(true),
            "cached", cachedForAllThreads(),
            "adaptive", new AdaptiveByteBufAllocator(true));

    private NettyBuffers() {}

    /** The pooled one with caches in all threads, not in those of Netty alone; its other defaults. */
    private static ByteBufAllocator cachedForAllThreads() {
        return new PooledByteBufAllocator(
                true,
                PooledByteBufAllocator.defaultNumHeapArena(),
                PooledByteBufAllocator.defaultNumDirectArena(),
                PooledByteBufAllocator.defaultPageSize(),
                PooledByteBufAllocator.defaultMaxOrder(),
                PooledByteBufAllocator.defaultSmallCacheSize(),
                PooledByteBufAllocator.defaultNormalCacheSize(),
                true);
    }

    public static void main(String[] arguments) throws Exception {
        Cycles.serve((allocator, lengthBytes) -> {
            ByteBufAllocator from = ALLOCATORS.get(allocator);
            return operations -> {
                long sum = 0;
                for (int i = 0; i < operations; i++) {
                    ByteBuf buffer = from.directBuffer(lengthBytes, lengthBytes);
                    sum += buffer.capacity();
                    buffer.release();
                }
                return sum;
            };
        });
    }
}
