package io.urma4j.bench.compare.end;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/** Operations on the other process's memory. For one thread. */
final class UrmaOneSided {
    private static final VarHandle U64 = JAVA_LONG.varHandle();
    private static final long INBOX = 0;
    private static final long BEHIND_INBOX = 64;
    private static final long STOP = -1;
    private static final int POLLS_PER_LOOK = 4096;
    static final int CHUNK = 256; // operations between two looks at the clock
    private static final int SMALL_BYTES = 4096;
    private static final int SILENT = 32; // small operations for one record
    private static final int OUTSTANDING = 16;

    private final UrmaCard card;
    private final Jfs jfs;
    private final Jfc jfc;
    private final LocalSegment local;
    private final MemorySegment memory;
    private final RemoteSegment remote;
    private final CompletionBatch batch = new CompletionBatch(64);
    private final WorkRequestList notice = new WorkRequestList(1, 1);

    UrmaOneSided(UrmaCard card, RemoteSegment remote) {
        this.card = card;
        this.jfs = card.jfs;
        this.jfc = card.jfc;
        this.local = card.local;
        this.memory = card.local.memory();
        this.remote = remote;
    }

    // ---- round trips of a word, the last one of a payload of that length

    Tally writesSeen(long nanos, int bytes) {
        U64.setRelease(memory, INBOX, 0L);
        long turn = 0;
        long start = System.nanoTime();
        long end = start;
        while (end - start < nanos) {
            for (int i = chunk(bytes); i > 0; i--) {
                tell(++turn, bytes);
                while ((long) U64.getAcquire(memory, INBOX) != turn) {
                    look();
                }
            }
            end = System.nanoTime();
        }
        tell(STOP, Long.BYTES);
        return Tally.of(2 * turn, end - start);
    }

    void returnWrites(int bytes, BooleanSupplier told) throws InterruptedException {
        long returned = 0;
        for (int looks = 1; ; looks++) {
            long now = (long) U64.getAcquire(memory, INBOX);
            if (now == STOP) {
                break;
            }
            if (now != returned) {
                tell(now, bytes);
                returned = now;
            } else {
                look();
                if (looks % POLLS_PER_LOOK == 0 && told.getAsBoolean()) {
                    break; // the leader has failed
                }
            }
        }
        U64.setRelease(memory, INBOX, 0L);
        pollUntil(told);
    }

    private void look() {
        if (card.isDriven) {
            collect();
        } else {
            Thread.onSpinWait();
        }
    }

    /** One in {@link #SILENT} makes a record, and the last: whose word came back has been written. */
    private void tell(long value, int bytes) {
        boolean signalled = ++card.told % SILENT == 0 || value == STOP;
        PostFlags flags = signalled ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED;
        if (bytes == Long.BYTES) {
            memory.set(JAVA_LONG, UrmaCard.SOURCE, value);
            accepted(jfs.write(remote, INBOX, local, UrmaCard.SOURCE, Long.BYTES, value, flags));
        } else {
            notice.clear()
                    .writeNotify(remote, BEHIND_INBOX, remote, INBOX, value, value)
                    .from(local, UrmaCard.SOURCE, bytes - Long.BYTES)
                    .flags(flags);
            accepted(jfs.post(notice) == 1);
        }
        if (signalled) {
            card.due++;
            collect();
        }
    }

    // ---- one at a time

    Tally reads(long nanos, int bytes) {
        long done = 0;
        long start = System.nanoTime();
        long end = start;
        while (end - start < nanos) {
            int chunk = chunk(bytes);
            for (int i = 0; i < chunk; i++) {
                accepted(jfs.read(remote, 0, local, UrmaCard.SOURCE, bytes, i));
                card.due++;
                awaitRecord();
            }
            done += chunk;
            end = System.nanoTime();
        }
        return Tally.of(done, end - start);
    }

    Tally adds(long nanos) {
        long done = 0;
        long start = System.nanoTime();
        long end = start;
        while (end - start < nanos) {
            for (int i = 0; i < CHUNK; i++) {
                accepted(jfs.fetchAndAdd(remote, 0, local, UrmaCard.SOURCE, 1, i));
                card.due++;
                awaitRecord();
            }
            done += CHUNK;
            end = System.nanoTime();
        }
        return Tally.of(done, end - start);
    }

    /** Each succeeds from the second on: what was there is what the last one left. */
    Tally swaps(long nanos) {
        long done = 0;
        long seen = 0;
        long start = System.nanoTime();
        long end = start;
        while (end - start < nanos) {
            for (int i = 0; i < CHUNK; i++) {
                accepted(jfs.compareAndSwap(remote, 0, local, UrmaCard.SOURCE, seen, seen + 1, i));
                card.due++;
                awaitRecord();
                long before = memory.get(JAVA_LONG, UrmaCard.SOURCE);
                seen = before == seen ? seen + 1 : before;
            }
            done += CHUNK;
            end = System.nanoTime();
        }
        return Tally.of(done, end - start);
    }

    // ---- many in flight

    /** Small ones make a record for {@link #SILENT} of them. */
    Tally stream(long nanos, int bytes, boolean writes) {
        int silent = bytes <= SMALL_BYTES ? SILENT : 1;
        int outstanding = bytes <= SMALL_BYTES ? UrmaCard.DEPTH / SILENT - 1 : OUTSTANDING;
        int rounds = Math.max(1, chunk(bytes) / silent);
        long posted = 0;
        long done = 0;
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            for (int i = 0; i < rounds; i++) {
                while (posted - done >= outstanding) {
                    done += collect();
                }
                post(bytes, writes, silent);
                card.due++;
                posted++;
            }
        }
        while (done < posted) {
            done += collect();
        }
        return Tally.of(done * silent, System.nanoTime() - start);
    }

    private void post(int bytes, boolean writes, int count) {
        for (int i = 1; i <= count; i++) {
            PostFlags flags = i == count ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED;
            accepted(
                    writes
                            ? jfs.write(remote, 0, local, UrmaCard.SOURCE, bytes, i, flags)
                            : jfs.read(remote, 0, local, UrmaCard.SOURCE, bytes, i, flags));
        }
    }

    /** The home of one-sided operations polls where its device needs that to place payload; else it only sleeps. */
    void pollUntil(BooleanSupplier told) throws InterruptedException {
        while (!told.getAsBoolean()) {
            if (card.isDriven) {
                for (int i = 0; i < POLLS_PER_LOOK; i++) {
                    collect();
                }
            } else {
                Thread.sleep(1);
                collect();
            }
        }
    }

    // ---- records

    static int chunk(int bytes) {
        return Math.clamp((1 << 20) / bytes, 1, CHUNK);
    }

    private static void accepted(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("the queue is full");
        }
    }

    private void awaitRecord() {
        while (collect() == 0) {
            Thread.onSpinWait();
        }
    }

    private int collect() {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw new IllegalStateException(batch.toString());
            }
        }
        card.due -= count;
        return count;
    }
}
