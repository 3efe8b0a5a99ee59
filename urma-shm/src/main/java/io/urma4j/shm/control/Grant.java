package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.peer.PeerShare;
import io.urma4j.shm.bounce.ServedGrant;
import io.urma4j.shm.bounce.ServedRequests;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ExportedSegment;
import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An import that this home granted. The engine's thread, except where stated. */
final class Grant implements ExportedSegment.Granted, WindowUser, ServedGrant {
    private final long number;
    private final ShmSegment segment;
    private final Peer importer;
    private final Connection via;
    private final Access access;
    private final Set<GrantBoard.ShmGrant> windows = new HashSet<>(); // guarded by this
    private final ServedRequests requests = new ServedRequests(); // of device memory
    private boolean told;
    private volatile boolean ended;
    private @Nullable PeerShare lent; // while the importer may have the memory open

    /**
     * A grant.
     *
     * @param number never reused in this context
     * @param via the connection on which it was granted, and on which it is revoked: so neither message overtakes the other
     */
    Grant(long number, ShmSegment segment, Peer importer, Connection via, Access access) {
        this.number = number;
        this.segment = segment;
        this.importer = importer;
        this.via = via;
        this.access = access;
    }

    @Override
    public long number() {
        return number;
    }

    ShmSegment segment() {
        return segment;
    }

    Peer importer() {
        return importer;
    }

    /** The granted access. For any thread. */
    @Override
    public Access access() {
        return access;
    }

    @Override
    public Importer importing() {
        return new Importer(importer.eid(), importer.uasid(), number);
    }

    @Override
    public String holder() {
        return importer.toString();
    }

    @Override
    public int slots() {
        return importer.windowSlots();
    }

    @Override
    public @Nullable MemorySegment operations(int table) {
        return importer.operations.get(table);
    }

    /** The device memory, which this home serves. For any thread. */
    @Override
    public StagedRegion served() {
        StagedRegion device = segment.device();
        assert device != null : segment + " is not served";
        return device;
    }

    @Override
    public boolean hasAtomics() {
        return segment.exported().access().canAtomic();
    }

    @Override
    public ServedRequests requests() {
        return requests;
    }

    /** Whether the importer no longer touches the memory by this grant. For any thread. */
    @Override
    public boolean hasEnded() {
        return ended;
    }

    /** The importer may open the memory from now on; false if it was freed or revoked. Its end is awaited, by {@link #end}. */
    boolean lend(PeerShare share) {
        if (told || ended) {
            return false;
        }
        if (lent == null && share.lend()) {
            lent = share;
        }
        return lent != null;
    }

    /** Whether the importer may have the memory open: then only its answer ends the grant, or the proof that it is gone. */
    boolean isLent() {
        return lent != null;
    }

    /** The importer no longer touches the memory by this grant, nor by its windows. */
    void end() {
        ended = true; // before the windows are revoked: so none is added later, and each is quiet at once
        endWindows();
        if (lent != null) {
            lent.giveBack();
            lent = null;
        }
    }

    /** Adds the window that {@code made} creates, which ends with the grant at the latest; null if that has ended. For any thread. */
    synchronized GrantBoard.@Nullable ShmGrant addWindow(Supplier<GrantBoard.ShmGrant> made) {
        if (ended) {
            return null;
        }
        GrantBoard.ShmGrant window = made.get();
        windows.add(window);
        return window;
    }

    /** Revokes a window. For any thread. */
    synchronized void removeWindow(GrantBoard.ShmGrant window) {
        window.takeBack();
        windows.remove(window);
    }

    /** Revokes all windows that were added. For any thread. */
    synchronized void endWindows() {
        windows.forEach(GrantBoard.ShmGrant::takeBack);
        windows.clear();
    }

    /** Processes pending messages of the importer: one that has released it already need not be asked. */
    @Override
    public void shut() {
        via.drain();
    }

    /** Notifies the importer of the revocation, once. */
    @Override
    public void tell() {
        if (!told) {
            told = true;
            via.send(new Revoke(number));
        }
    }

    @Override
    public void endByHome() {
        segment.exports().endByHome(this);
    }
}
