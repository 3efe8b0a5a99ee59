package io.urma4j.socket.peering;

import io.urma4j.RemoteMemory;
import io.urma4j.UrmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The offers of a process that a network reaches: they are read into a copy, and taken by a compare-and-swap over the network. */
final class RemoteOffers implements Offers {
    private static final System.Logger LOG = System.getLogger(RemoteOffers.class.getName());

    /** How long a process is not asked that did not answer in time, so that it cannot hold up each accept. */
    private static final long REST_NANOS = 30_000_000_000L;

    /**
     * A process that has just answered has this many timeouts for the compare-and-swap: without its outcome, the connection can
     * only be closed. One that needs more than one timeout rests afterwards, so that it delays one accept, and not each.
     */
    private static final int TIMEOUTS_TO_DECIDE = 20;

    private final RemoteMemory memory;
    private final RemoteMemory patientMemory;
    private final long timeoutNanos;
    private final long offset;
    private final MemorySegment copy = Arena.ofAuto().allocate(OfferTable.LENGTH_BYTES, Long.BYTES); // guarded by this
    private final OfferTable table = new OfferTable(copy);
    private long restsUntilNanos = System.nanoTime(); // guarded by this

    /**
     * Those at this place of the memory.
     *
     * @param timeout of each access, so that the other process cannot hold up the one that accepts
     */
    RemoteOffers(RemoteMemory memory, long offset, Duration timeout) {
        this.memory = memory.withTimeout(timeout);
        this.patientMemory = memory.withTimeout(timeout.multipliedBy(TIMEOUTS_TO_DECIDE));
        this.timeoutNanos = timeout.toNanos();
        this.offset = offset;
    }

    @Override
    public synchronized @Nullable Offer find(InetSocketAddress client, InetSocketAddress server) {
        int first = OfferTable.index(client.getPort(), 0);
        int untilEnd = Math.min(OfferTable.PROBES, OfferTable.COUNT - first);
        if (System.nanoTime() - restsUntilNanos < 0) {
            return null;
        }
        try {
            read(first, untilEnd);
            if (untilEnd < OfferTable.PROBES) {
                read(0, OfferTable.PROBES - untilEnd);
            }
        } catch (UrmaException e) {
            LOG.log(System.Logger.Level.DEBUG, () -> "no offers of " + memory + ": " + e.getMessage());
            rest();
            return null;
        }
        return table.find(client, server);
    }

    private synchronized void rest() {
        restsUntilNanos = System.nanoTime() + REST_NANOS;
    }

    private void read(int first, int count) {
        long at = OfferTable.at(first);
        memory.read(offset + at, copy.asSlice(at, (long) count * OfferTable.STRIDE));
    }

    @Override
    public boolean take(Offer offer, long proof, int ring) throws UndecidedException {
        long at = offset + OfferTable.at(offer.index());
        byte[] words = new byte[2 * Long.BYTES];
        MemorySegment answer = MemorySegment.ofArray(words);
        answer.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, proof);
        answer.set(ValueLayout.JAVA_INT_UNALIGNED, Long.BYTES, offer.ring());
        answer.set(ValueLayout.JAVA_INT_UNALIGNED, Long.BYTES + Integer.BYTES, ring);
        try {
            memory.write(at + OfferTable.SERVER_PROOF, words);
        } catch (UrmaException e) {
            rest();
            return false; // its word is as it was
        }
        long beganNanos = System.nanoTime();
        try {
            return patientMemory.compareAndSwap(at, offer.word(), OfferTable.taken(offer)) == offer.word();
        } catch (UrmaException e) {
            throw new UndecidedException("the client does not answer, and may have rings or not: " + e.getMessage(), e);
        } finally {
            if (System.nanoTime() - beganNanos > timeoutNanos) {
                rest();
            }
        }
    }

    @Override
    public void refuse(Offer offer, int reason) {
        long at = offset + OfferTable.at(offer.index());
        try {
            memory.writeInt(at + OfferTable.REASON, reason);
            var _ = memory.compareAndSwap(at, offer.word(), OfferTable.refused(offer));
        } catch (UrmaException e) {
            rest();
            LOG.log(System.Logger.Level.DEBUG, () -> memory + " does not hear of a refusal: " + e.getMessage());
        }
    }

    @Override
    public String toString() {
        return "offers of " + memory;
    }
}
