package io.urma4j.udma.device;

import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a card. A key is an index and a generation of 8 bits. Each life of an index has its own generation, and when
 * all are spent the index is not used any more, so that a stale key never becomes valid again.
 *
 * <p>Released indices are queued behind all other free ones.
 */
final class KeyTable implements Memory {
    private static final int GENERATION_BITS = 8;
    private static final int GENERATIONS = 1 << GENERATION_BITS;

    /** This many released indices are queued before the first is reused. */
    private static final int MIN_FREE = 1024;

    /** The peer of a connection. */
    @FunctionalInterface
    interface Peers {
        /** Number of the peer's context; 0 for one that may use only keys for every peer. */
        int peerOf(int connection);
    }

    /** One life of an index. */
    private static final class Entry {
        int generation;

        @Nullable
        MemorySegment memory; // null: opens nothing

        long vaBase;
        int access;
        int peer;
        long owner;
        int notifyTag;
        int recordId; // stays for records made after the revocation
        int nextFree;
    }

    private final Peers peers;
    private final CardListener listener;
    private final int maxIndices;
    private Entry[] entries = new Entry[64];
    private int used = 1; // indices that were ever given out; 0 is none
    private int firstFree;
    private int lastFree;
    private int free;

    KeyTable(Peers peers, CardListener listener, int maxIndices) {
        this.peers = peers;
        this.listener = listener;
        this.maxIndices = maxIndices;
    }

    // ---- lives of keys

    /** Creates a key; 0 if none is left. */
    int register(KeyConfig config) {
        int index = takeIndex();
        if (index == 0) {
            return 0;
        }
        Entry entry = entries[index];
        entry.memory = config.memory();
        entry.vaBase = config.vaBase();
        entry.access = config.access();
        entry.peer = config.peer();
        entry.owner = config.owner();
        entry.recordId = config.recordId();
        entry.notifyTag = config.notifyTag();
        assert isSound() : free + " free of " + used + " indices, from " + firstFree + " to " + lastFree;
        return index << GENERATION_BITS | entry.generation;
    }

    private int takeIndex() {
        if (free >= MIN_FREE || (free > 0 && used > maxIndices)) {
            int index = firstFree;
            firstFree = entries[index].nextFree;
            free--;
            return index;
        }
        if (used > maxIndices) {
            return 0;
        }
        if (used == entries.length) {
            entries = Arrays.copyOf(entries, 2 * used);
        }
        entries[used] = new Entry();
        return used++;
    }

    /** Invalidates the key; false if it was invalid. */
    boolean revoke(int key) {
        Entry entry = find(key);
        if (entry == null) {
            return false;
        }
        retire(key >>> GENERATION_BITS, entry);
        assert isSound() : free + " free of " + used + " indices, from " + firstFree + " to " + lastFree;
        return true;
    }

    private void retire(int index, Entry entry) {
        entry.notifyTag = KeyConfig.SILENT;
        entry.memory = null;
        entry.owner = 0;
        if (++entry.generation == GENERATIONS) {
            return; // the index has no life left
        }
        entry.nextFree = 0;
        if (free++ == 0) {
            firstFree = index;
        } else {
            entries[lastFree].nextFree = index;
        }
        lastFree = index;
    }

    /** Revokes all keys of an owner. */
    private void revokeAll(long owner) {
        for (int index = 1; index < used; index++) {
            Entry entry = entries[index];
            if (entry.memory != null && entry.owner == owner) {
                retire(index, entry);
            }
        }
    }

    private @Nullable Entry find(int key) {
        int index = key >>> GENERATION_BITS;
        if (index == 0 || index >= used) {
            return null;
        }
        Entry entry = entries[index];
        boolean lives = entry.memory != null && entry.generation == (key & GENERATIONS - 1);
        return lives ? entry : null;
    }

    // ---- our own work requests

    /** The memory of a local key; null if it is invalid. */
    @Nullable
    MemorySegment local(int key) {
        Entry entry = find(key);
        return entry == null ? null : entry.memory;
    }

    // ---- what peers ask

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int access, int connection) {
        Entry entry = find(key);
        return entry != null && allows(entry, va, lengthBytes, access, connection) && isAlive(entry);
    }

    private boolean allows(Entry entry, long va, long lengthBytes, int access, int connection) {
        MemorySegment memory = entry.memory;
        if (memory == null || (entry.access & access) != access) {
            return false;
        }
        if (entry.peer != 0 && entry.peer != peers.peerOf(connection)) {
            return false;
        }
        long offset = va - entry.vaBase; // may overflow: then it is negative, or too large
        if (offset < 0 || lengthBytes < 0 || offset > memory.byteSize() - lengthBytes) {
            return false;
        }
        return access != ATOMIC || (memory.address() + offset & lengthBytes - 1) == 0;
    }

    private static boolean isAlive(Entry entry) {
        MemorySegment memory = entry.memory;
        return memory != null && memory.scope().isAlive();
    }

    /** The memory of a key, if the peer has the permission; null if not. */
    private @Nullable MemorySegment open(int key, long va, long lengthBytes, int access, int connection) {
        Entry entry = find(key);
        return entry != null && allows(entry, va, lengthBytes, access, connection) ? entry.memory : null;
    }

    private long offset(int key, long va) {
        return va - entries[key >>> GENERATION_BITS].vaBase;
    }

    @Override
    public boolean write(int key, long va, MemorySegment from, long fromOffset, int lengthBytes, int connection) {
        MemorySegment memory = open(key, va, lengthBytes, WRITE, connection);
        return memory != null && Dma.write(from, fromOffset, memory, offset(key, va), lengthBytes);
    }

    @Override
    public boolean read(int key, long va, MemorySegment to, long toOffset, int lengthBytes, int connection) {
        MemorySegment memory = open(key, va, lengthBytes, READ, connection);
        return memory != null && Dma.read(memory, offset(key, va), to, toOffset, lengthBytes);
    }

    @Override
    public boolean store(int key, long va, long value, int connection) {
        MemorySegment memory = open(key, va, Long.BYTES, WRITE, connection);
        return memory != null && Dma.store(memory, offset(key, va), value) && hasTold(key);
    }

    /** True once the owner of the memory was notified of a new value. */
    private boolean hasTold(int key) {
        int notifyTag = entries[key >>> GENERATION_BITS].notifyTag;
        if (notifyTag != KeyConfig.SILENT) {
            listener.valueStored(notifyTag);
        }
        return true;
    }

    @Override
    public long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        MemorySegment memory = open(key, va, sizeBytes, ATOMIC, connection);
        if (memory == null) {
            throw new IllegalStateException("the key was not asked whether it allows an atomic");
        }
        try {
            return Dma.atomic(opcode, memory, offset(key, va), sizeBytes, operand, expected);
        } catch (IllegalStateException | WrongThreadException e) {
            return 0; // it was closed since the key was checked: no thread will see what is missing there
        }
    }

    @Override
    public boolean invalidate(int key, int connection) {
        Entry entry = find(key);
        if (entry == null || entry.owner == 0 || entry.peer == 0 || entry.peer != peers.peerOf(connection)) {
            return false;
        }
        long owner = entry.owner;
        revokeAll(owner);
        listener.invalidated(owner);
        return true;
    }

    /** The number of the key in records, also after it was revoked. */
    int recordId(int key) {
        int index = key >>> GENERATION_BITS;
        return index < used && entries[index] != null ? entries[index].recordId : 0;
    }

    /** What must hold between two calls: the first and the last free index open nothing. */
    private boolean isSound() {
        boolean isClosed = free == 0 || (entries[firstFree].memory == null && entries[lastFree].memory == null);
        return free >= 0 && free < used && isClosed;
    }
}
