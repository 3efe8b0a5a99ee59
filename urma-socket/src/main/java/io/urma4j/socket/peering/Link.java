package io.urma4j.socket.peering;

import static io.urma4j.socket.ring.RingLayout.LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.WorkRequestList;
import io.urma4j.socket.ring.Carrier;
import io.urma4j.socket.ring.RingLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of this process to one other, for all their connections. What one end of a ring has stored goes to the same place in the
 * other process, as WRITEs in the order in which it counts there:
 *
 * <pre>
 *  a writer   bytes, as two WRITEs if they go on at the front of the ring
 *             WRITE_NOTIFY: the base, and as its value the tail
 *             WRITE_NOTIFY: writer and end, and as its value a notice
 *  a reader   WRITE_NOTIFY: head, closed, reader, and as its value a notice
 * </pre>
 *
 * <p>Safe for any thread. Its lock is held while requests are posted, and not while it waits.
 */
final class Link implements AutoCloseable {
    private static final int DEPTH = 256;
    private static final int MOST = 5; // requests of one wire at once
    private static final long PAUSE_NANOS = 20_000;
    private static final long READERS_WORDS = RingLayout.READER + Integer.BYTES - RingLayout.HEAD;

    /** Runs once when the queue has failed, on the thread of the pump: connections have locks of their own. */
    private final Runnable onFailure;

    private final RemoteSegment theirs;
    private final ArenaLayout theirLayout;
    private final LocalSegment own;
    private final ArenaLayout ownLayout;
    private final int capacity;
    private final LinkPump pump;
    private final Jfc jfc;
    private final Jfs jfs;

    // guarded by this
    private final WorkRequestList list = new WorkRequestList(MOST, 1);
    private final CompletionBatch batch = new CompletionBatch(DEPTH);
    private final Queue<Wire> waiting = new ArrayDeque<>(); // for room in the queue
    private final MemorySegment base = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment writersWords = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment readersWords = Arena.ofAuto().allocate(READERS_WORDS, Long.BYTES);
    private int notices;
    private long posted;
    private long completed;
    private volatile boolean failed;
    private volatile boolean isLate;

    Link(
            UrmaContext context,
            RemoteSegment theirs,
            ArenaLayout theirLayout,
            LocalSegment own,
            ArenaLayout ownLayout,
            LinkPump pump,
            Runnable onFailure) {
        this.theirs = theirs;
        this.theirLayout = theirLayout;
        this.own = own;
        this.ownLayout = ownLayout;
        this.capacity = ownLayout.ringBytes();
        this.pump = pump;
        this.onFailure = onFailure;
        this.jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(DEPTH + 1)); // and one for the marker of an error
        try {
            this.jfs = context.createJfs(
                    jfc, JfsConfig.builder().depth(DEPTH).maxSges(1).build());
        } catch (UrmaException e) {
            jfc.close();
            throw e;
        }
        pump.register(this);
    }

    boolean hasFailed() {
        return failed;
    }

    /** Reports to its connections that it has failed. */
    void reportFailure() {
        onFailure.run();
    }

    /** Posts what is new of a wire, or does so as soon as the queue has room. */
    synchronized void advance(Wire wire) {
        if (failed || !wire.isNew()) {
            return;
        }
        try {
            takeRecords();
            if (!wire.isWaiting && (!waiting.isEmpty() || !post(wire))) {
                wire.isWaiting = true;
                waiting.add(wire);
                pump.add(this);
            }
        } catch (UrmaException | IllegalStateException e) { // the queue, the import or the memory is closed or revoked
            fail(e.getMessage());
        }
    }

    /** Posts what has waited for room. Returns whether some still does. */
    synchronized boolean advanceWaiting() {
        try {
            takeRecords();
            while (!failed && !waiting.isEmpty() && post(waiting.element())) {
                waiting.remove().isWaiting = false;
            }
        } catch (UrmaException | IllegalStateException e) { // as above
            fail(e.getMessage());
        }
        return !failed && !waiting.isEmpty();
    }

    /** Waits until the other process has all of a wire, at most so long. A process that is late once is not waited for again. */
    void flush(Wire wire, long timeoutNanos) {
        long began = System.nanoTime();
        boolean isSettled = isSettled(wire);
        while (!isSettled && !isLate && System.nanoTime() - began < timeoutNanos) {
            LockSupport.parkNanos(PAUSE_NANOS);
            isSettled = isSettled(wire);
        }
        isLate = !isSettled;
    }

    /** The same where the JVM ends, as nothing else would wait. */
    void flushIfJvmEnds(Wire wire) {
        if (pump.isJvmEnding()) {
            flush(wire, Carrier.FLUSH_NANOS);
        }
    }

    /** Whether the other process has all of a wire, or will get nothing any more. */
    synchronized boolean isSettled(Wire wire) {
        if (!failed) {
            advanceWaiting();
        }
        return failed || !wire.isNew() && wire.lastPost <= completed;
    }

    /** Whether the other process has all that was stored, or will get nothing any more. */
    synchronized boolean isIdle() {
        return !advanceWaiting() && (failed || completed == posted);
    }

    private void takeRecords() {
        int records = jfc.poll(batch);
        for (int i = 0; i < records; i++) {
            if (batch.status(i) != CompletionStatus.SUCCESS) {
                fail("a request ended with " + batch.status(i));
            }
        }
        completed += records;
    }

    private void fail(@Nullable String reason) {
        if (!failed) {
            failed = true;
            System.getLogger(Link.class.getName())
                    .log(System.Logger.Level.DEBUG, () -> "connections to " + theirs + " are lost: " + reason);
            pump.lost(this);
        }
    }

    /** Returns false if the queue has no room. */
    private boolean post(Wire wire) {
        if (failed) {
            return true;
        }
        if (DEPTH - (posted - completed) < MOST) {
            return false;
        }
        list.clear();
        if (wire.takeRead()) {
            addReadersWords(wire);
        }
        if (wire.takeWritten()) {
            writersWords.set(ValueLayout.JAVA_LONG, 0, (long) LONG.getAcquire(wire.copy(), RingLayout.WRITER));
            long tail = wire.tail(); // read behind the end, which is to come behind all bytes
            if (tail < wire.sent || tail - wire.sent > capacity) { // the peer can store there, too
                fail("the tail " + tail + " is impossible: " + wire.sent + " bytes were sent");
                return true;
            }
            addBytes(wire, tail);
            addWritersWords(wire);
        }
        int accepted = jfs.post(list);
        posted += accepted;
        wire.lastPost = posted;
        if (accepted < list.size()) {
            fail(list.refusal().map(UrmaException::getMessage).orElse("the queue took " + accepted + " requests"));
        }
        return true;
    }

    private void addReadersWords(Wire wire) {
        for (long at = 0; at < READERS_WORDS; at += Long.BYTES) {
            readersWords.set(ValueLayout.JAVA_LONG, at, (long) LONG.getAcquire(wire.ring(), RingLayout.HEAD + at));
        }
        long at = theirLayout.copyAt(wire.theirSlot()) + RingLayout.HEAD;
        notices++;
        list.writeNotify(theirs, at, theirs, noticeAt(), Notices.word(notices, wire.theirSlot()), 0)
                .inline(readersWords);
    }

    private long noticeAt() {
        return ArenaLayout.noticesAt() + Notices.at(notices);
    }

    private void addBytes(Wire wire, long tail) {
        base.set(ValueLayout.JAVA_LONG, 0, (long) LONG.getAcquire(wire.copy(), RingLayout.BASE));
        int length = (int) (tail - wire.sent);
        if (length > 0) {
            int start = (int) (wire.sent - base.get(ValueLayout.JAVA_LONG, 0)) & (capacity - 1);
            int first = Math.min(length, capacity - start);
            addPart(wire, start, first);
            if (first < length) {
                addPart(wire, 0, length - first);
            }
        }
        long at = theirLayout.ringAt(wire.theirSlot());
        list.writeNotify(theirs, at + RingLayout.BASE, theirs, at + RingLayout.TAIL, tail, 0)
                .inline(base);
        wire.sent = tail;
    }

    private void addPart(Wire wire, int start, int length) {
        list.write(theirs, theirLayout.ringAt(wire.theirSlot()) + RingLayout.BYTES + start, 0)
                .from(own, ownLayout.copyAt(wire.slot()) + RingLayout.BYTES + start, length);
    }

    private void addWritersWords(Wire wire) {
        long at = theirLayout.ringAt(wire.theirSlot()) + RingLayout.WRITER;
        notices++;
        list.writeNotify(theirs, at, theirs, noticeAt(), Notices.word(notices, wire.theirSlot()), 0)
                .inline(writersWords);
    }

    @Override
    public void close() {
        pump.remove(this);
        synchronized (this) {
            failed = true;
            waiting.clear();
        }
        jfs.close();
        jfc.close();
    }

    @Override
    public String toString() {
        return "queue to " + theirs;
    }
}
