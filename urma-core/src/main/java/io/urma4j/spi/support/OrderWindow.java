package io.urma4j.spi.support;

import io.urma4j.spi.support.SendEntry.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The work requests of a {@link SendOrder}: from {@code head}, the oldest without a record, to {@code end}, behind the
 * youngest. It counts those that wait, and those whose failure has not had its consequences yet.
 *
 * @param <E> the provider's entries
 * @param <P> the provider's peers
 */
public final class OrderWindow<E extends SendEntry<?, P>, P extends SendPeer> {
    private static final int MAX_COUNTED = 64;

    private final SendActions<E, P> actions;
    private final @Nullable SendEntry<?, P>[] entries;
    private final int mask;

    private long head;
    private long end;
    private int waiting;
    private int failed; // in stage FAILED

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    OrderWindow(SendActions<E, P> actions, int depth) {
        this.actions = actions;
        this.entries = new SendEntry[depth];
        this.mask = depth - 1;
    }

    /** The oldest position without a record. */
    public long head() {
        return head;
    }

    /** Behind the youngest. */
    public long end() {
        return end;
    }

    public boolean isEmpty() {
        return head == end;
    }

    /** Whether {@code position} was added, and has not left. */
    public boolean holds(long position) {
        return position >= head && position < end;
    }

    /** Whether a work request follows an event of a device, or is behind an earlier one to its peer that does. */
    @SuppressWarnings("ReferenceEquality") // each peer of a queue is one object
    public boolean isBehindEvent(long position) {
        E late = at(position);
        for (long earlier = head; late.stage == Stage.WAITING && earlier <= position; earlier++) {
            E entry = at(earlier);
            if (entry.stage == Stage.WAITING && entry.followsEvent && entry.peer == late.peer) {
                return true;
            }
        }
        return false;
    }

    /** The event of a work request has ended: its timeout begins now, and that of the work requests behind it. */
    @SuppressWarnings("ReferenceEquality") // each peer of a queue is one object
    void eventEnded(long position, long nowNanos) {
        E first = at(position);
        first.followsEvent = false;
        first.sinceNanos = nowNanos;
        for (long later = position + 1; later < end; later++) {
            E entry = at(later);
            if (entry.stage == Stage.WAITING && entry.peer == first.peer) {
                if (entry.followsEvent) {
                    return; // these are behind that one as well
                }
                entry.sinceNanos = nowNanos;
            }
        }
    }

    public boolean hasWaiting() {
        return waiting > 0;
    }

    boolean hasFailed() {
        return failed > 0;
    }

    /** Whether the place of {@code position} is free. */
    public boolean hasRoom(long position) {
        return head == end || position - head <= mask;
    }

    /** The entry for {@code position}, to be filled and then added. */
    @SuppressWarnings("unchecked") // only newEntry() fills places
    public E entry(long position) {
        int index = (int) position & mask;
        SendEntry<?, P> entry = entries[index];
        if (entry == null) {
            entry = actions.newEntry();
            entries[index] = entry;
        }
        return (E) entry;
    }

    /** The entry of a position that the window holds. */
    @SuppressWarnings({"unchecked", "NullAway"}) // only newEntry() fills places, and each has one before it is added
    public E at(long position) {
        return (E) entries[(int) position & mask];
    }

    // ---- what enters and leaves

    /** Adds the entry of {@code position}, which waits. */
    void add(long position, E entry) {
        addStarted(position);
        entry.stage = Stage.WAITING;
        waiting++;
    }

    /** Adds the entry of {@code position}, which was started within its post. */
    void addStarted(long position) {
        if (head == end) {
            head = position;
        }
        end = position + 1;
    }

    /** Adds the entry of {@code position}, which waits and may be older than the head. */
    void addAnywhere(long position, E entry) {
        boolean isAlone = head == end;
        long endBefore = end;
        add(position, entry);
        if (!isAlone) {
            head = position;
            end = endBefore;
        }
    }

    /** Everything before {@code position} has its record. */
    void leaveTo(long position) {
        if (position != head) {
            head = position;
            actions.reported(position);
        }
    }

    /** Takes the oldest out: it has no record, and needs none any more. */
    void takeOut(E oldest) {
        leave(oldest);
        if (oldest.stage == Stage.FAILED) {
            failed--;
        }
        oldest.release();
        oldest.stage = Stage.REPORTED;
        head++;
    }

    // ---- stages

    /** All of it is handed to its peer or its connection. */
    public void started(E entry, long nowNanos) {
        entry.stage = Stage.STARTED;
        entry.enterFlow(nowNanos);
        waitsNoMore();
    }

    /** A thread copies for it. */
    void copying(E entry) {
        entry.stage = Stage.COPYING;
        waitsNoMore();
    }

    /** The copy has ended; what the peer has of a message stays there. */
    void copied(E entry) {
        entry.stage = Stage.WAITING;
        waiting++;
    }

    void waitAgain(E entry) {
        entry.leaveFlow();
        if (entry.stage != Stage.WAITING) {
            entry.stage = Stage.WAITING;
            waiting++;
        }
    }

    /** It has its status, which has no consequences for others. */
    public void end(E entry, int status) {
        leave(entry);
        entry.stage = Stage.DONE;
        entry.status = status;
    }

    /** It has failed; the consequences follow at the next step, since connections may be in the middle of a call. */
    public void failLater(E entry, int status) {
        end(entry, status);
        entry.stage = Stage.FAILED;
        failed++;
    }

    /** Its failure has its consequences now. */
    void settle(E entry) {
        entry.stage = Stage.DONE;
        failed--;
    }

    private void leave(E entry) {
        entry.leaveFlow();
        actions.left(entry);
        if (entry.stage == Stage.WAITING) {
            waitsNoMore();
        }
    }

    private void waitsNoMore() {
        if (--waiting == 0) {
            actions.demandChanged();
        }
    }

    /** What must hold between two calls; a long window is not counted anew each time. */
    boolean isSound() {
        return waiting >= 0
                && failed >= 0
                && waiting + failed <= end - head
                && end - head <= entries.length
                && (end - head > MAX_COUNTED || (count(Stage.WAITING) == waiting && count(Stage.FAILED) == failed));
    }

    private int count(Stage stage) {
        int count = 0;
        for (long position = head; position < end; position++) {
            count += at(position).stage == stage ? 1 : 0;
        }
        return count;
    }

    /** Whether nothing from {@code first} to before {@code last} waits; for a short window. */
    boolean isSettledOrStarted(long first, long last) {
        for (long position = Math.max(first, head); position < Math.min(last, first + MAX_COUNTED); position++) {
            if (at(position).stage == Stage.WAITING) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return head + " to " + end + ", " + waiting + " waiting, " + failed + " failed";
    }
}
