package io.urma4j.shm.control;

import io.urma4j.Eid;

/** A peer context: of another process, of this one, or this very context. One object per context and incarnation. */
public final class Peer {
    private final PeerId id;
    private final Eid eid;
    private final int uasid;
    private final int pid;
    private volatile boolean lost;

    Peer(PeerId id, Eid eid, int uasid, int pid) {
        this.id = id;
        this.eid = eid;
        this.uasid = uasid;
        this.pid = pid;
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

    @Override
    public String toString() {
        return "uasid " + uasid + " (pid " + pid + ")";
    }
}
