package io.urma4j.udma.transport;

import org.jspecify.annotations.Nullable;

/**
 * The responder resources: the last READs and atomics of the peer, as many as it was promised (WIRE §4.2). A duplicate
 * atomic gets the stored response, and is not executed again; a duplicate READ is read again, within its range.
 */
final class ResponderResources {
    private final @Nullable ResponderResource[] slots; // made when a READ or an atomic first needs one
    private long first; // the oldest that may be wanted
    private long next; // where the next one goes

    /** The only one that may have fragments of memory that answers later. */
    private @Nullable ResponderResource fetching;

    /** With at least this capacity, 0 for none. */
    ResponderResources(int count) {
        slots = new ResponderResource[count == 0 ? 0 : Integer.highestOneBit(2 * count - 1)];
    }

    boolean isNone() {
        return slots.length == 0;
    }

    /** Whether the oldest was answered, so that its place can be reused. */
    boolean hasRoom() {
        ResponderResource oldest = slots[slot(next)];
        return oldest == null || !oldest.isWanted();
    }

    /** The oldest gives its place up, though it is wanted: a duplicate asks for it, since a new one was promised a place. */
    void makeRoom() {
        ResponderResource oldest = slots[slot(next)];
        if (oldest != null) {
            oldest.letGo();
        }
    }

    /** A place for a new one; to be filled at once. */
    ResponderResource add() {
        ResponderResource resource = at(next);
        next++;
        first = Math.max(first, next - slots.length);
        return resource;
    }

    /** The oldest with a pending response; null if there is none. */
    @Nullable
    ResponderResource wanted() {
        while (first < next) {
            ResponderResource resource = at(first);
            if (resource.isWanted()) {
                return resource;
            }
            first++;
        }
        return null;
    }

    /** The one of a PSN; null if it was evicted. */
    @Nullable
    ResponderResource find(long psn) {
        for (long i = next - 1; i >= Math.max(0, next - slots.length); i--) {
            ResponderResource resource = at(i);
            if (psn >= resource.firstPsn && psn < resource.firstPsn + resource.packets) {
                return resource;
            }
        }
        return null;
    }

    /** Its response, or a part of it, must be retransmitted. */
    void want(ResponderResource resource, long fromPsn, long toPsn, long endByte) {
        resource.want(fromPsn, toPsn, endByte);
        first = Math.max(0, next - slots.length);
    }

    /** A part of its response was lost, and must be sent in addition to the parts in flight. */
    void wantToo(ResponderResource resource, long fromPsn, long toPsn) {
        resource.wantToo(fromPsn, toPsn);
        first = Math.max(0, next - slots.length);
    }

    /** The bytes of that READ are fetched now. Fragments of another one would be missing: they are asked for again. */
    void fetches(ResponderResource read) {
        if (fetching != null && fetching != read) {
            fetching.endFetches();
        }
        fetching = read;
    }

    void clear() {
        for (ResponderResource resource : slots) {
            if (resource != null) {
                resource.letGo();
            }
        }
    }

    private ResponderResource at(long index) {
        int slot = slot(index);
        ResponderResource resource = slots[slot];
        if (resource == null) {
            resource = new ResponderResource();
            slots[slot] = resource;
        }
        return resource;
    }

    private int slot(long index) {
        return (int) index & slots.length - 1;
    }
}
