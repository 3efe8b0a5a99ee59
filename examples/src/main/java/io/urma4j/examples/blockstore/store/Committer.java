package io.urma4j.examples.blockstore.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The only thread that changes the files. It takes all writes that wait, writes each into a slot of its own, forces the files once
 * for all of them, and then alone replaces the blocks' places and completes the writes. So one force serves many writes, while
 * they last longer than a force.
 *
 * <p>The slot of the replaced content becomes free after the force. Whatever instant a kill chooses, each block has a whole slot
 * with its last acknowledged content.
 */
final class Committer implements Runnable {
    private static final int MOST_WRITES = 64; // of one force
    private static final PendingWrite END = new PendingWrite(new SlotHeader(0, 0, 0, 0), ByteBuffer.allocate(0));

    private final Map<Long, Stored> places; // written by this thread alone
    private final List<SlotFile> files;
    private final Function<Integer, SlotFile> fileFor;
    private final long mostBytes;
    private final BlockingQueue<PendingWrite> queue = new LinkedBlockingQueue<>();

    // of the current group
    private final Map<Long, Stored> fresh = new LinkedHashMap<>();
    private final List<Stored.Place> replaced = new ArrayList<>();
    private final List<WriteResult> results = new ArrayList<>(); // in the order of the writes

    private @Nullable IOException failure;
    private final AtomicLong forcedWrites = new AtomicLong();
    private final AtomicLong forces = new AtomicLong();
    private volatile boolean closed;

    /**
     * A committer, to be run by one thread.
     *
     * @param fileFor the file for blocks of a length
     * @param mostBytes of all files together
     */
    Committer(Map<Long, Stored> places, List<SlotFile> files, Function<Integer, SlotFile> fileFor, long mostBytes) {
        this.places = places;
        this.files = files;
        this.fileFor = fileFor;
        this.mostBytes = mostBytes;
    }

    void add(PendingWrite write) {
        queue.add(write);
        if (closed) {
            refuseAll(); // it may have come after the last group
        }
    }

    /** Groups of writes that were forced. */
    long forces() {
        return forces.get();
    }

    /** Writes in these groups. */
    long forcedWrites() {
        return forcedWrites.get();
    }

    /** Ends after the current group. */
    void close() {
        closed = true;
        queue.add(END);
    }

    @Override
    public void run() {
        List<PendingWrite> group = new ArrayList<>();
        while (!closed) {
            try {
                group.add(queue.take());
            } catch (InterruptedException e) {
                break; // an interrupt would close the files, so no thread interrupts this one
            }
            queue.drainTo(group, MOST_WRITES - 1);
            group.removeIf(write -> write == END);
            commit(group);
            group.clear();
        }
        closed = true;
        refuseAll();
    }

    private void refuseAll() {
        for (PendingWrite write = queue.poll(); write != null; write = queue.poll()) {
            write.done().completeExceptionally(new IOException("the store is closed"));
        }
    }

    private void commit(List<PendingWrite> group) {
        try {
            // the disk's state is unknown after a failed write or force, so no later write is accepted
            if (failure != null) {
                throw failure;
            }
            for (PendingWrite write : group) {
                results.add(place(write));
            }
            for (SlotFile file : files) {
                file.force();
            }
            publish();
            forces.incrementAndGet();
            forcedWrites.addAndGet(group.size());
            for (int i = 0; i < results.size(); i++) {
                group.get(i).done().complete(results.get(i));
            }
        } catch (IOException e) {
            fail(e, group);
        } catch (RuntimeException | Error e) {
            fail(new IOException("the store failed: " + e, e), group);
        } finally {
            fresh.clear();
            replaced.clear();
            results.clear();
        }
    }

    private void fail(IOException why, List<PendingWrite> group) {
        failure = why;
        group.forEach(write -> write.done().completeExceptionally(why));
    }

    private WriteResult place(PendingWrite write) throws IOException {
        Stored old = fresh.getOrDefault(write.block(), places.get(write.block()));
        if (old != null && old.revision() >= write.revision()) {
            // a client repeats a write whose reply was lost
            boolean isRepeated = old.revision() == write.revision()
                    && old.payloadCrc() == write.header().payloadCrc()
                    && old.lengthBytes() == write.header().lengthBytes();
            return new WriteResult(isRepeated ? WriteResult.Outcome.STORED : WriteResult.Outcome.STALE, old.revision());
        }
        SlotFile file = fileFor.apply(write.header().lengthBytes());
        if (!file.hasFree() && fileBytes() + file.slotBytes() > mostBytes) {
            return new WriteResult(WriteResult.Outcome.FULL, old == null ? 0 : old.revision());
        }
        Stored.Place place = new Stored.Place(file, file.allocate());
        file.write(place.slot(), write.header(), write.payload());
        Stored earlier = fresh.put(
                write.block(),
                new Stored(
                        write.revision(),
                        write.header().lengthBytes(),
                        write.header().payloadCrc(),
                        place));
        if (earlier != null) {
            replaced.add(earlier.place());
        }
        return new WriteResult(WriteResult.Outcome.STORED, write.revision());
    }

    private long fileBytes() {
        return files.stream().mapToLong(SlotFile::fileBytes).sum();
    }

    private void publish() {
        fresh.forEach((block, stored) -> {
            Stored old = places.put(block, stored);
            if (old != null) {
                replaced.add(old.place());
            }
        });
        replaced.forEach(Stored.Place::free);
    }
}
