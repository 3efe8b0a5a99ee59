package io.urma4j.buffer;

/**
 * The slabs of a pool whose blocks have one size.
 *
 * @param blocks in these slabs
 * @param leases blocks that are leased, granted, held by operations, or quarantined
 */
record ClassUse(long blockBytes, int slabs, long blocks, long leases) {
    long idle() {
        return blocks - leases;
    }

    ClassUse plus(ClassUse more) {
        assert more.blockBytes == blockBytes : more;
        return new ClassUse(blockBytes, slabs + more.slabs, blocks + more.blocks, leases + more.leases);
    }
}
