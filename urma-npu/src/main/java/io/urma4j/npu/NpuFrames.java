package io.urma4j.npu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The physical memory of a device: frames of one page, whose order is shuffled. A freed frame is poisoned. Guarded by its
 * device.
 */
final class NpuFrames {
    static final byte POISON = (byte) 0xDB;

    private static final long DEVICE_BYTES = 1L << 42;
    private static final long FOREIGN = 1L << 60;

    private final int pageBytes;
    private final long base;
    private final boolean stale;
    private long nextForeign;
    private final Arena arena = Arena.ofShared();
    private final @Nullable Frame[] frames; // made when they are first used
    private final Deque<Integer> free = new ArrayDeque<>();
    private final @Nullable NpuStore store; // of the bytes, if other processes can open them

    /**
     * A page.
     *
     * @param physical address
     * @param bytes as copies and peers see them
     * @param seen as kernels see them; the same memory unless the device shows stale bytes
     */
    record Frame(long physical, MemorySegment bytes, MemorySegment seen) {}

    NpuFrames(NpuConfig config, int ordinal, @Nullable NpuStore store) {
        this.store = store;
        this.pageBytes = config.pageBytes();
        this.base = (ordinal + 1) * DEVICE_BYTES;
        this.stale = config.stale();
        int count = (int) (config.memoryBytes() / pageBytes);
        this.frames = new Frame[count];
        List<Integer> numbers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(config.seed() + ordinal));
        free.addAll(numbers);
    }

    int freeCount() {
        return free.size();
    }

    Frame take() {
        int number = free.removeFirst();
        Frame frame = frames[number];
        if (frame == null) {
            MemorySegment bytes = store == null ? arena.allocate(pageBytes, 64) : store.page(number);
            frame = new Frame(base + (long) number * pageBytes, bytes, stale ? arena.allocate(pageBytes, 64) : bytes);
            poison(frame);
            frames[number] = frame;
        }
        return frame;
    }

    /** The next to be taken is the last that was given back: a stale user finds its bytes at once. */
    void giveBack(Frame frame) {
        poison(frame);
        if (store != null) {
            store.disown(number(frame));
        }
        free.addFirst(number(frame));
    }

    private int number(Frame frame) {
        return (int) ((frame.physical - base) / pageBytes);
    }

    /** Other processes find the pages of an allocation from now on. */
    void show(Frame[] pages, long bufferId) {
        for (int i = 0; store != null && i < pages.length; i++) {
            store.own(number(pages[i]), bufferId, i);
        }
    }

    /** Other processes no longer find these pages. */
    void hide(Frame[] pages) {
        for (int i = 0; store != null && i < pages.length; i++) {
            store.disown(number(pages[i]));
        }
    }

    /** Pages of another process: their physical addresses are none of this device. */
    Frame[] foreign(MemorySegment[] pages) {
        Frame[] all = new Frame[pages.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Frame(FOREIGN + nextForeign++ * pageBytes, pages[i], pages[i]);
        }
        return all;
    }

    /** The frame at a physical address, also in use; null if it has never been used. */
    @Nullable
    Frame at(long physical) {
        long number = (physical - base) / pageBytes;
        return number >= 0 && number < frames.length ? frames[(int) number] : null;
    }

    private static void poison(Frame frame) {
        frame.bytes.fill(POISON);
        frame.seen.fill(POISON);
    }

    void close() {
        arena.close();
    }
}
