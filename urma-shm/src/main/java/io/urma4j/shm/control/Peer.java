package io.urma4j.shm.control;

import io.urma4j.Eid;
import io.urma4j.libc.PidFd;
import io.urma4j.libc.WatchedLock;
import io.urma4j.shm.bounce.BounceClient;
import io.urma4j.shm.bounce.BounceServer;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.support.SharedResult;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A peer context: of another process, of this one, or this very context. There is one object per context and incarnation,
 * for the peer's lifetime; a restarted peer is another one (S12.5).
 *
 * <p>There is one connection per direction: requests of this context use the outgoing one, requests of the peer the
 * incoming one. So a token is sent only to a process found at the descriptor's address.
 */
public final class Peer {
    private final PeerId id;
    private final io.urma4j.PeerId identity;
    private final Eid eid;
    private final int uasid;
    private final int pid;
    private final long features;
    private volatile boolean lost;

    // below: the engine's thread
    @Nullable
    Connection outgoing;

    @Nullable
    Connection incoming;

    /** Its process, watched for its exit; null for this process, or if the kernel does not support it. */
    @Nullable
    PidFd process;

    Engine.@Nullable Watch processWatch;

    /** Its process had ended before it was watched. */
    boolean hasEnded;

    /** Its lock, where its process is not watched; null if this process could not open it. */
    @Nullable
    WatchedLock lock;

    /** Imports from the peer, by the number of the grant. */
    final Map<Long, ShmImport> imports = new HashMap<>();

    /** Grants to the peer, by the number of the grant. */
    final Map<Long, Grant> grants = new HashMap<>();

    /** Those of them that are of device memory. Written by the engine. */
    final Map<Long, Grant> served = new ConcurrentHashMap<>();

    /** Serves these grants; null until the peer asks for that. Written by the engine. */
    volatile @Nullable BounceServer server;

    /** Asks the peer for its device memory; null until it is needed. */
    @Nullable
    SharedResult<BounceClient> bounce;

    /** Whether it imported a queue of this context; such an import is never released. */
    boolean importedQueue;

    final PeerPath path = new PeerPath();

    /** The memory of its operation counters on windows of this context, by table; null until it uses one. Written by the engine. */
    final AtomicReferenceArray<@Nullable MemorySegment> operations = new AtomicReferenceArray<>(WindowTable.TABLES);

    /** This context's side of the peer's windows, by table; those that are used. Written by the engine. */
    final Map<Integer, SharedResult<Windows.Opened>> windows = new ConcurrentHashMap<>();

    /** Whether its end affects this context; only then it is reported. */
    boolean mattered;

    Peer(PeerId id, Eid eid, int uasid, int pid, long features) {
        this.id = id;
        this.identity = new io.urma4j.PeerId(eid, uasid, id.incarnation());
        this.eid = eid;
        this.uasid = uasid;
        this.pid = pid;
        this.features = features;
    }

    public PeerId id() {
        return id;
    }

    public Eid eid() {
        return eid;
    }

    public int uasid() {
        return uasid;
    }

    /** Takes a request for device memory from a slot of its message ring; false if no honest peer would send it. Any thread. */
    public boolean serve(MemorySegment ring, long at, int lengthBytes) {
        BounceServer serving = server;
        return serving != null && serving.accept(ring, at, lengthBytes);
    }

    /** What it claims to be; {@link KnownPeers} has the one that is believed. */
    io.urma4j.PeerId identity() {
        return identity;
    }

    /** Its process id here; 0 if it lives in another PID namespace. */
    public int pid() {
        return pid;
    }

    /** The features in its greeting. */
    long features() {
        return features;
    }

    /** Number of the window slots that its version knows. Any thread. */
    int windowSlots() {
        return (features & ControlCodec.FEATURE_MANY_WINDOWS) != 0 ? WindowTable.MAX_SLOTS : WindowTable.SLOTS;
    }

    /** Whether it can import device memory. */
    boolean knowsDeviceMemory() {
        return (features & ControlCodec.FEATURE_DEVICE_MEMORY) != 0;
    }

    /** Whether it shares device memory with importers that open it. */
    boolean opensDeviceMemory() {
        return (features & ControlCodec.FEATURE_OPENED_DEVICE_MEMORY) != 0;
    }

    /** Whether it is gone, which is final. */
    public boolean isLost() {
        return lost;
    }

    void markLost() {
        lost = true;
    }

    /** Those that are open, the incoming one first. */
    List<Connection> connections() {
        return Stream.concat(Stream.ofNullable(incoming), Stream.ofNullable(outgoing))
                .toList();
    }

    /** Whether its process is known to have ended. */
    boolean hasExited() {
        return process != null && process.isExited();
    }

    /** Watches its process, or its lock, no more. Idempotent. */
    void stopWatching() {
        if (processWatch != null) {
            processWatch.end();
            processWatch = null;
        }
        if (process != null) {
            process.close();
        }
        if (lock != null) {
            lock.close();
        }
    }

    /** Whether it holds a grant of this context, and so may use more of its memory and descriptors. */
    boolean importsFromUs() {
        return importedQueue || !grants.isEmpty();
    }

    /** Whether nothing is lost with it: neither side has an import of the other, and no request is pending. */
    boolean holdsNothing() {
        return outgoing == null && !usesWindows() && !importsFromUs() && !matters();
    }

    private boolean usesWindows() {
        return IntStream.range(0, WindowTable.TABLES).anyMatch(table -> operations.get(table) != null);
    }

    /** Whether its end would affect this context. */
    boolean matters() {
        return !imports.isEmpty() || !grants.isEmpty() || path.isOpen();
    }

    @Override
    public String toString() {
        return "uasid " + uasid + " (pid " + (pid == 0 ? "unknown" : pid) + ")";
    }
}
