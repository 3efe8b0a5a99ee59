package io.urma4j.buffer;

import io.urma4j.PeerId;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.UrmaContext;
import io.urma4j.internal.inspect.Inspectable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a pool tells to processes that look into it. It stands for the pool among the children of its first context. */
final class PoolInspection implements Inspectable {
    private static final int MOST_PEERS = 256; // the ones with the most windows
    private static final int ID_BITS = 24;

    private final RegisteredBufferPool pool;
    private final BlockAllocator allocator;
    private final List<UrmaContext> contexts;
    private final long number;

    /** @param number of the pool, in its process */
    PoolInspection(RegisteredBufferPool pool, BlockAllocator allocator, List<UrmaContext> contexts, long number) {
        this.pool = pool;
        this.allocator = allocator;
        this.contexts = contexts;
        this.number = number;
    }

    @Override
    public List<Resource> resources(Kind kind) {
        return switch (kind) {
            case POOL -> List.of(state());
            case POOL_CLASS -> classes();
            case POOL_PEER -> peers();
            default -> List.of();
        };
    }

    private Resource.Builder resource(Kind kind, int place) {
        return Resource.builder(kind, (number << ID_BITS) + place).add("pool", pool.name());
    }

    private Resource state() {
        PoolStats stats = pool.stats();
        return resource(Kind.POOL, 0)
                .add(
                        "devices",
                        contexts.stream()
                                .map(context -> context.device().name())
                                .collect(Collectors.joining(" ")))
                .add("max_bytes", stats.maxBytes())
                .add("registered_bytes", stats.registeredBytes())
                .add("leased_bytes", stats.leasedBytes())
                .add("slabs", stats.slabs())
                .add("leases", stats.leases())
                .add(
                        "oldest_s",
                        pool.config()
                                .leaks()
                                .oldest()
                                .map(PoolInspection::seconds)
                                .orElse(""))
                .add("waiters", stats.waiters())
                .add("oldest_wait_s", seconds(stats.oldestWait()))
                .add("largest_wait_bytes", stats.largestWaitBytes())
                .add("waits", stats.waits())
                .add("refusals", stats.refusals())
                .add("quarantined", stats.quarantined())
                .add("quarantined_bytes", stats.quarantinedBytes())
                .build();
    }

    private static String seconds(Duration duration) {
        return "%d.%03d".formatted(duration.toSeconds(), duration.toMillisPart());
    }

    private List<Resource> classes() {
        List<Resource> rows = new ArrayList<>();
        for (ClassUse use : allocator.classUses()) {
            rows.add(resource(Kind.POOL_CLASS, rows.size())
                    .add("block_bytes", use.blockBytes())
                    .add("slabs", use.slabs())
                    .add("blocks", use.blocks())
                    .add("leases", use.leases())
                    .add("idle", use.idle())
                    .build());
        }
        return rows;
    }

    private List<Resource> peers() {
        Map<Object, PeerUse> uses = new LinkedHashMap<>();
        for (Slab slab : allocator.slabs()) {
            slab.addPeers(uses);
        }
        Comparator<Map.Entry<Object, PeerUse>> byWindows =
                Comparator.comparingLong(entry -> -entry.getValue().windows());
        List<Resource> rows = new ArrayList<>();
        uses.entrySet().stream()
                .sorted(byWindows)
                .limit(MOST_PEERS)
                .forEach(entry -> rows.add(resource(Kind.POOL_PEER, rows.size())
                        .add("peer", textOf(entry.getKey()))
                        .add("leases", entry.getValue().leases())
                        .add("windows", entry.getValue().windows())
                        .add("still_used", entry.getValue().stillUsed())
                        .build()));
        return rows;
    }

    /** The EIDs and UASIDs of its contexts; of a RoCE peer, its Jetty here. */
    private static String textOf(Object user) {
        return !(user instanceof Peer peer)
                ? "RoCE peer of " + user
                : peer.contexts().stream()
                        .map(member -> member.provider() + " " + textOf(member.id()))
                        .collect(Collectors.joining(", "));
    }

    private static String textOf(PeerId id) {
        return id.eid() + "/" + id.uasid();
    }

    @Override
    public void close() {
        pool.close();
    }

    @Override
    public String toString() {
        return pool.toString();
    }
}
