package io.urma4j.udma.staging;

import io.urma4j.peer.PeerRegion;

/** A registration of device memory on the card. Under the card's lock. */
final class Region {
    final PeerRegion memory;
    final EngineSlab slab;

    /** An atomic works on it: no other copy may go in. */
    boolean hasAtomic;

    /** A thread pins its pages, which have moved. */
    boolean isReopening;

    /** Its pages could not be pinned when that was tried last: the next operation fails for it. */
    boolean isStuck;

    Region(PeerRegion memory, EngineSlab slab) {
        this.memory = memory;
        this.slab = slab;
    }

    @Override
    public String toString() {
        return memory.toString();
    }
}
