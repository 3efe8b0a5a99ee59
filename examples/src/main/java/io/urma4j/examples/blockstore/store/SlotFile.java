package io.urma4j.examples.blockstore.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * A file of slots of one size, each with a {@link SlotHeader} and the bytes of one block. Any thread reads; one thread alone
 * allocates, writes and forces.
 */
final class SlotFile implements AutoCloseable {
    private final FileChannel channel;
    private final long slotBytes;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private int slots; // in the file, in use or free
    private boolean isDirty;

    private SlotFile(FileChannel channel, long slotBytes, int slots) {
        this.channel = channel;
        this.slotBytes = slotBytes;
        this.slots = slots;
    }

    /**
     * Opens or creates the file.
     *
     * @param mostBytes of a block in it
     */
    static SlotFile open(Path folder, int mostBytes) throws IOException {
        FileChannel channel = FileChannel.open(
                folder.resolve("blocks-" + mostBytes),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        long slotBytes = SlotHeader.BYTES + (long) mostBytes;
        // the last slot may be torn, and so shorter
        long slots = (channel.size() + slotBytes - 1) / slotBytes;
        return new SlotFile(channel, slotBytes, Math.toIntExact(slots));
    }

    /** Slots in the file, in use or free. */
    int slots() {
        return slots;
    }

    long slotBytes() {
        return slotBytes;
    }

    long fileBytes() {
        return slots * slotBytes;
    }

    boolean hasFree() {
        return !free.isEmpty();
    }

    /** A slot that is free, or a new one at the end. */
    int allocate() {
        Integer reused = free.poll();
        return reused != null ? reused : slots++;
    }

    void free(int slot) {
        free.add(slot);
    }

    /** Writes header and bytes. They survive a crash of the process at once, and one of the machine after {@link #force}. */
    void write(int slot, SlotHeader header, ByteBuffer payload) throws IOException {
        isDirty = true;
        long start = slot * slotBytes;
        writeFully(payload.duplicate(), start + SlotHeader.BYTES);
        writeFully(header.toBytes(), start);
    }

    private void writeFully(ByteBuffer bytes, long at) throws IOException {
        long position = at;
        while (bytes.hasRemaining()) {
            position += channel.write(bytes, position);
        }
    }

    /** Returns once all that was written is on the disk; without effect if nothing was. */
    void force() throws IOException {
        if (isDirty) {
            channel.force(false);
            isDirty = false;
        }
    }

    /** The same for what other processes have written before, and for the length of the file. */
    void forceAll() throws IOException {
        channel.force(true);
        isDirty = false;
    }

    /** The header of a slot; empty if none was written there as a whole. */
    Optional<SlotHeader> header(int slot) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SlotHeader.BYTES);
        boolean isWhole = fill(bytes, slot * slotBytes);
        return isWhole
                ? SlotHeader.read(bytes.flip()).filter(header -> isPossible(header.lengthBytes()))
                : Optional.empty();
    }

    private boolean isPossible(int lengthBytes) {
        return lengthBytes > 0 && lengthBytes <= slotBytes - SlotHeader.BYTES;
    }

    /** Whether the file goes on to the end of a block. */
    boolean hasPayload(int slot, int lengthBytes) throws IOException {
        return channel.size() >= slot * slotBytes + SlotHeader.BYTES + lengthBytes;
    }

    /** Fills {@code into} with the first bytes of a block. */
    void read(int slot, ByteBuffer into) throws IOException {
        if (!fill(into.duplicate(), slot * slotBytes + SlotHeader.BYTES)) {
            throw new EOFException("slot " + slot + " ends before the last of " + into.remaining() + " bytes");
        }
    }

    /** Whether the file had that many bytes. */
    private boolean fill(ByteBuffer bytes, long at) throws IOException {
        long position = at;
        while (bytes.hasRemaining()) {
            int count = channel.read(bytes, position);
            if (count < 0) {
                return false;
            }
            position += count;
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
