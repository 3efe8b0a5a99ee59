package io.urma4j.peer;

import java.util.function.UnaryOperator;

/** A client whose page table is not true. */
final class LyingClient extends DelegatingClient {
    private final UnaryOperator<PinnedPages> lie;

    LyingClient(UnaryOperator<PinnedPages> lie) {
        super(new ScriptedClient("lying"));
        this.lie = lie;
    }

    @Override
    public Ownership acquire(DeviceRange range) {
        Ownership.Mine mine = (Ownership.Mine) super.acquire(range);
        PeerAcquisition honest = mine.acquisition();
        return new Ownership.Mine(new PeerAcquisition() {
            @Override
            public DeviceIdentity identity() {
                return honest.identity();
            }

            @Override
            public PinnedPages getPages(boolean writable, Ticket ticket, Invalidator invalidator) {
                return lie.apply(honest.getPages(writable, ticket, invalidator));
            }

            @Override
            public DmaMapping dmaMap(PinnedPages pages, DmaDevice device) {
                return honest.dmaMap(pages, device);
            }

            @Override
            public void dmaUnmap(DmaMapping mapping) {
                honest.dmaUnmap(mapping);
            }

            @Override
            public void putPages(PinnedPages pages) {
                honest.putPages(pages);
            }

            @Override
            public void release() {
                honest.release();
            }
        });
    }
}
