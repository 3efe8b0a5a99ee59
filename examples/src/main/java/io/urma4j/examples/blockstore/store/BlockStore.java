package io.urma4j.examples.blockstore.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Blocks of 256 bytes to 4 MiB in a folder, one file for each power of two.
 *
 * <p>A write never changes the slot that it replaces. It goes to a free slot, and the old one becomes free once the new one is
 * forced. This is a log of two entries for each block, and needs no compaction. {@link #open} finds the newest whole slot of each
 * block.
 *
 * <p>Revisions order the writes of a block: a write of an old one is refused, and a repeated one is acknowledged without another
 * write. Safe for any number of threads.
 */
public final class BlockStore implements AutoCloseable {
    public static final int LEAST_BYTES = 256;
    public static final int MOST_BYTES = 4 << 20;

    private final List<SlotFile> files; // by power of two
    private final ConcurrentHashMap<Long, Stored> places;
    private final int torn;
    private final Committer committer;
    private final Thread thread;

    private BlockStore(List<SlotFile> files, Recovery.Found found, long mostFileBytes) {
        this.files = files;
        this.places = new ConcurrentHashMap<>(found.blocks());
        this.torn = found.torn();
        this.committer = new Committer(places, files, this::fileFor, mostFileBytes);
        this.thread = Thread.ofPlatform().name("committer").start(committer);
    }

    /**
     * Opens the store in a folder, and recovers its blocks. It reads them all, to verify their checksums.
     *
     * @param mostFileBytes of all files; writes beyond are refused as FULL
     */
    public static BlockStore open(Path folder, long mostFileBytes) throws IOException {
        Files.createDirectories(folder);
        List<SlotFile> files = new ArrayList<>();
        for (int bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 2) {
            files.add(SlotFile.open(folder, bytes));
        }
        Recovery.Found found = Recovery.scan(files);
        for (SlotFile file : files) {
            file.forceAll(); // a killed process may not have forced what it wrote
        }
        return new BlockStore(List.copyOf(files), found, mostFileBytes);
    }

    private SlotFile fileFor(int lengthBytes) {
        int bits = 32 - Integer.numberOfLeadingZeros(Math.max(LEAST_BYTES, lengthBytes) - 1);
        return files.get(bits - Integer.numberOfTrailingZeros(LEAST_BYTES));
    }

    /** Number of blocks. */
    public int size() {
        return places.size();
    }

    /** Slots that {@link #open} found torn. */
    public int torn() {
        return torn;
    }

    /** Writes that were acknowledged, for which {@link #forces} were enough. */
    public long forcedWrites() {
        return committer.forcedWrites();
    }

    /** How many times the files were forced; once for all writes that waited. */
    public long forces() {
        return committer.forces();
    }

    /** Where a block is now. */
    public Optional<Stored> find(long block) {
        return Optional.ofNullable(places.get(block));
    }

    /**
     * Reads a block. The caller verifies the checksum, as it reads the bytes anyway.
     *
     * @param stored from {@link #find}
     * @param into of its length; the position stays
     * @return whether the bytes are that content; false if a write replaced it meanwhile, and {@code into} can be anything
     */
    public boolean read(long block, Stored stored, ByteBuffer into) throws IOException {
        stored.place().file().read(stored.place().slot(), into);
        // its slot becomes free after it left the map, so while it is there, no write has reached the slot
        return stored.equals(places.get(block));
    }

    /**
     * Writes a block, of which {@code revision} is higher than of its earlier writes.
     *
     * @param crc of the payload
     * @param payload must not change before the future completes
     * @return completes after the force; with {@link IOException} if a write or force failed, and then all later ones do
     */
    public CompletableFuture<WriteResult> write(long block, long revision, int crc, ByteBuffer payload) {
        int lengthBytes = payload.remaining();
        if (lengthBytes < LEAST_BYTES || lengthBytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "length " + lengthBytes + " must lie in " + LEAST_BYTES + "…" + MOST_BYTES);
        }
        PendingWrite write = new PendingWrite(new SlotHeader(block, revision, lengthBytes, crc), payload);
        committer.add(write);
        return write.done();
    }

    /** Closes the files after the current group of writes; later writes fail. */
    @Override
    public void close() throws IOException {
        committer.close();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        for (SlotFile file : files) {
            file.close();
        }
    }
}
