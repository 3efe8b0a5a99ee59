package io.urma4j.shm.control;

import io.urma4j.Eid;
import io.urma4j.libc.PidFd;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A peer context: of another process, of this one, or this very context. One object per context and incarnation, as long
 * as the peer lives; who comes back is another one (S12.5).
 *
 * <p>There is a connection per direction: on the outgoing one we ask, on the incoming one the peer does. So a token goes
 * only to whom we found at the address of the descriptor.
 */
public final class Peer {
    private final PeerId id;
    private final Eid eid;
    private final int uasid;
    private final int pid;
    private final long features;
    private volatile boolean lost;

    // from here on: the engine's thread
    @Nullable
    Connection outgoing;

    @Nullable
    Connection incoming;

    /** Its process, watched for its end; null for our own, and where the kernel cannot tell. */
    @Nullable
    PidFd process;

    Engine.@Nullable Watch processWatch;

    /** What we imported from it, by the number of the grant. */
    final Map<Long, ShmImport> imports = new HashMap<>();

    /** What it imported from us, by the number of the grant. */
    final Map<Long, Grant> grants = new HashMap<>();

    /** Whether it imported a queue of ours, which is not given back. */
    boolean importedQueue;

    final PeerPath path = new PeerPath();

    /** Where it announces its operations on windows of ours; null until it uses them. Written by the engine. */
    volatile @Nullable MemorySegment operations;

    /** What we have of its windows; null until we use them. */
    @Nullable
    CompletableFuture<Windows.Opened> windows;

    /** Whether its end changed anything here: only then it is told. */
    boolean mattered;

    Peer(PeerId id, Eid eid, int uasid, int pid, long features) {
        this.id = id;
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

    /** Its process id here; 0 when it lives in another namespace of process ids. */
    public int pid() {
        return pid;
    }

    /** What it said it knows, in its greeting. */
    long features() {
        return features;
    }

    public long incarnation() {
        return id.incarnation();
    }

    /** Whether it is gone; it never comes back. */
    public boolean isLost() {
        return lost;
    }

    void markLost() {
        lost = true;
    }

    /** Whether it was granted anything of ours, and so may have more of our memory and descriptors. */
    boolean importsFromUs() {
        return importedQueue || !grants.isEmpty();
    }

    /** Whether nothing is lost with it: neither has anything of the other's, and we have asked it for nothing. */
    boolean holdsNothing() {
        return outgoing == null && operations == null && !importsFromUs() && !matters();
    }

    /** Whether its end would change anything here. */
    boolean matters() {
        return !imports.isEmpty() || !grants.isEmpty() || path.isOpen();
    }

    @Override
    public String toString() {
        return "uasid " + uasid + " (pid " + (pid == 0 ? "unknown" : pid) + ")";
    }
}
