package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.support.Placement;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.ring.KeyLife;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PinnedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a card. A key is an index and a part of the number of its life ({@link KeyLife}), so that a stale key never
 * becomes valid again. Any key can have one of the first lives of an index. Later ones are for keys whose users take the VA
 * base from the card ({@link KeyConfig#anyVa}).
 *
 * <p>Released indices are queued behind all other free ones.
 */
final class KeyTable implements DeviceKeys {
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
        long life;

        @Nullable
        MemorySegment memory; // null: opens nothing

        @Nullable
        PinnedMemory pinned; // has the memory, if that cannot be unmapped before the key is revoked

        int region; // of device memory; NO_REGION if its bytes are in the memory
        long regionOffset;
        long lengthBytes;
        long address;
        long vaBase;
        int access;
        int peer;
        long owner;
        boolean windowsOnly;
        int notifyTag;
        int recordId; // stays for records made after the revocation
        int nextFree;
    }

    private final Peers peers;
    private final CardListener listener;
    private final KeyHolders holders = new KeyHolders();
    private final int maxIndices;
    private Entry[] entries = new Entry[64];
    private int used = 1; // indices that were ever given out; 0 is none
    private final FreeIndices young = new FreeIndices(); // for any key
    private final FreeIndices old = new FreeIndices(); // for keys of any VA

    /** Free indices, first in, first out; linked by their entries. */
    private final class FreeIndices {
        private int first;
        private int last;
        private int count;

        void add(int index) {
            entries[index].nextFree = 0;
            if (count++ == 0) {
                first = index;
            } else {
                entries[last].nextFree = index;
            }
            last = index;
        }

        /** Whether one may be used again: enough are queued, or no new index is left. */
        boolean haveOne() {
            return count >= MIN_FREE || (count > 0 && used > maxIndices);
        }

        int take() {
            int index = first;
            first = entries[index].nextFree;
            count--;
            return index;
        }

        /** The first and the last one open nothing. */
        boolean isSound() {
            return count == 0 || (entries[first].memory == null && entries[last].memory == null);
        }

        @Override
        public String toString() {
            return count + " free indices from " + first + " to " + last;
        }
    }

    KeyTable(Peers peers, CardListener listener, int maxIndices) {
        this.peers = peers;
        this.listener = listener;
        this.maxIndices = maxIndices;
    }

    // ---- lives of keys

    /** Creates a key; 0 if none is left. */
    int register(KeyConfig config) {
        int index = takeIndex(config.anyVa() && config.lengthBytes() <= KeyLife.MAX_BYTES);
        if (index == 0) {
            return 0;
        }
        Entry entry = entries[index];
        entry.memory = config.memory();
        entry.pinned = pinned(config);
        entry.lengthBytes = config.lengthBytes();
        entry.address = config.address();
        KeyConfig.DeviceBytes device = config.device();
        entry.region = device == null ? NO_REGION : device.region();
        entry.regionOffset = device == null ? 0 : device.offset();
        entry.vaBase = KeyLife.isLater(entry.life) ? KeyLife.vaBase(entry.life) : config.vaBase();
        entry.access = config.access();
        entry.peer = config.peer();
        entry.owner = config.owner();
        entry.windowsOnly = config.windowsOnly();
        entry.recordId = config.recordId();
        entry.notifyTag = config.notifyTag();
        count(entry, 1);
        assert isSound() : young + ", " + old + " of " + used;
        return index << KeyLife.GENERATION_BITS | KeyLife.generation(entry.life);
    }

    private @Nullable PinnedMemory pinned(KeyConfig config) {
        if (config.pin() == KeyConfig.PINNED) {
            return new PinnedMemory(config.memory());
        }
        Entry shared = find(config.pin());
        return shared == null ? null : shared.pinned;
    }

    private static int index(int key) {
        return key >>> KeyLife.GENERATION_BITS;
    }

    private int takeIndex(boolean anyVa) {
        if (anyVa && old.haveOne()) {
            return old.take();
        }
        if (young.haveOne()) {
            return young.take();
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

    /** The VA of the first byte that the key opens; 0 for an invalid key. */
    long vaBase(int key) {
        Entry entry = find(key);
        return entry == null ? 0 : entry.vaBase;
    }

    /** Invalidates the key; false if it was invalid. */
    boolean revoke(int key) {
        Entry entry = find(key);
        if (entry == null) {
            return false;
        }
        retire(index(key), entry);
        assert isSound() : young + ", " + old + " of " + used;
        return true;
    }

    private void retire(int index, Entry entry) {
        count(entry, -1);
        entry.notifyTag = KeyConfig.SILENT;
        entry.memory = null;
        entry.pinned = null;
        entry.owner = 0;
        entry.life++;
        if (!KeyLife.isLater(entry.life)) {
            young.add(index);
        } else if (entry.life < KeyLife.COUNT) {
            old.add(index);
        } // else the index has no life left
    }

    /** Revokes what a peer's SEND_INVALIDATE ends: of windows-only segments its windows, of others all keys, if it has one. */
    private void revokeFor(int peer, long owner, IntConsumer revoked) {
        boolean whole = holders.hasWhole(owner, peer);
        if (!whole && !holders.hasWindow(owner, peer)) {
            return;
        }
        for (int index = 1; index < used; index++) {
            Entry entry = entries[index];
            if (entry.memory != null && entry.owner == owner && (entry.windowsOnly ? isWindowOf(peer, entry) : whole)) {
                retire(index, entry);
                if (entry.region != NO_REGION) {
                    revoked.accept(entry.region);
                }
            }
        }
        listener.invalidated(owner, peer, whole);
    }

    /** The key of an import of a windows-only segment opens nothing; it stays, for later windows. */
    private static boolean isWindowOf(int peer, Entry entry) {
        return entry.peer == peer && entry.access != 0;
    }

    private void count(Entry entry, int difference) {
        if (!entry.windowsOnly || entry.access != 0) {
            holders.count(entry.owner, entry.peer, entry.windowsOnly, difference);
        }
    }

    private @Nullable Entry find(int key) {
        int index = index(key);
        if (index == 0 || index >= used) {
            return null;
        }
        Entry entry = entries[index];
        boolean lives = entry.memory != null && KeyLife.generation(entry.life) == KeyLife.generation(key);
        return lives ? entry : null;
    }

    // ---- our own work requests

    /** The memory of a local key; null if it is invalid, or opens device memory. */
    @Nullable
    MemorySegment local(int key) {
        Entry entry = find(key);
        return entry == null || KeyLife.isLater(entry.life) || entry.region != NO_REGION
                ? null
                : entry.memory; // without a VA, a later life would look like an earlier one
    }

    /** The region of a local key of device memory, if the range lies in it; {@link #NO_REGION} if not. */
    int localRegion(int key, long offset, long lengthBytes) {
        Entry entry = find(key);
        if (entry == null || KeyLife.isLater(entry.life) || offset < 0 || lengthBytes < 0) {
            return NO_REGION;
        }
        return offset <= entry.lengthBytes - lengthBytes ? entry.region : NO_REGION;
    }

    /** Where the memory of a local key begins in its region. */
    long localOffset(int key) {
        return entries[index(key)].regionOffset;
    }

    @Override
    public int region(int key) {
        Entry entry = find(key);
        return entry == null ? NO_REGION : entry.region;
    }

    @Override
    public long regionOffset(int key, long va) {
        Entry entry = entries[index(key)];
        return entry.regionOffset + (va - entry.vaBase);
    }

    /** Copies into a range of a local key; false if the memory is closed, or the range is not inside. */
    boolean storeLocal(int key, long offset, NativeMemory from, long fromOffset, int lengthBytes) {
        MemorySegment memory = local(key);
        return memory != null
                && isInside(memory, offset, lengthBytes)
                && Dma.write(from, fromOffset, memory, offset, lengthBytes);
    }

    /** Copies from a range of a local key; false if the memory is closed, or the range is not inside. */
    boolean loadLocal(int key, long offset, NativeMemory to, long toOffset, int lengthBytes) {
        MemorySegment memory = local(key);
        return memory != null
                && isInside(memory, offset, lengthBytes)
                && Dma.read(memory, offset, to, toOffset, lengthBytes);
    }

    /** The same for all of a packet's payload, which may stay where it is. */
    boolean loadLocal(int key, long offset, Packet to, int lengthBytes) {
        MemorySegment memory = local(key);
        return memory != null
                && isInside(memory, offset, lengthBytes)
                && (refer(key, offset, to, lengthBytes)
                        || Dma.read(memory, offset, to.bytes(), to.payloadAt(), lengthBytes));
    }

    private static boolean isInside(MemorySegment memory, long offset, int lengthBytes) {
        return offset >= 0 && offset <= memory.byteSize() - lengthBytes;
    }

    /** Has a packet refer to its payload in the range of a valid key that was checked; false if it must be copied. */
    private boolean refer(int key, long offset, Packet packet, int lengthBytes) {
        Entry entry = entries[index(key)];
        PinnedMemory pinned = entry.pinned;
        MemorySegment memory = entry.memory;
        if (!packet.mayRefer(lengthBytes)
                || pinned == null
                || memory == null
                || !memory.scope().isAlive()) {
            return false;
        }
        long from = pinned.offset(memory, offset, lengthBytes);
        if (from < 0) {
            return false;
        }
        packet.refer(pinned, from, lengthBytes);
        return true;
    }

    // ---- what peers ask

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int access, int connection) {
        Entry entry = find(key);
        return entry != null && allows(entry, va, lengthBytes, access, connection) && isAlive(entry);
    }

    private boolean allows(Entry entry, long va, long lengthBytes, int access, int connection) {
        if (entry.memory == null || (entry.access & access) != access) {
            return false;
        }
        if (entry.peer != 0 && entry.peer != peers.peerOf(connection)) {
            return false;
        }
        long offset = va - entry.vaBase; // may overflow: then it is negative, or too large
        if (offset < 0 || lengthBytes < 0 || offset > entry.lengthBytes - lengthBytes) {
            return false;
        }
        return access != ATOMIC || (entry.address + offset & lengthBytes - 1) == 0;
    }

    private static boolean isAlive(Entry entry) {
        MemorySegment memory = entry.memory;
        return memory != null && memory.scope().isAlive();
    }

    /** The memory of a key, if the peer has the permission; null if not, or if it lies on a device. */
    private @Nullable MemorySegment open(int key, long va, long lengthBytes, int access, int connection) {
        Entry entry = find(key);
        if (entry == null || entry.region != NO_REGION) {
            return null;
        }
        return allows(entry, va, lengthBytes, access, connection) ? entry.memory : null;
    }

    private long offset(int key, long va) {
        return va - entries[index(key)].vaBase;
    }

    @Override
    public boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        MemorySegment memory = open(key, va, lengthBytes, WRITE, connection);
        return memory != null && Dma.write(from, fromOffset, memory, offset(key, va), lengthBytes);
    }

    @Override
    public boolean read(int key, long va, Packet to, int lengthBytes, int connection) {
        MemorySegment memory = open(key, va, lengthBytes, READ, connection);
        if (memory == null) {
            return false;
        }
        long offset = offset(key, va);
        return refer(key, offset, to, lengthBytes) || Dma.read(memory, offset, to.bytes(), to.payloadAt(), lengthBytes);
    }

    @Override
    public boolean store(int key, long va, long value, int connection) {
        MemorySegment memory = open(key, va, Long.BYTES, WRITE, connection);
        return memory != null && Dma.store(memory, offset(key, va), value) && hasTold(key);
    }

    /** True once the owner of the memory was notified of a new value. */
    private boolean hasTold(int key) {
        int notifyTag = entries[index(key)].notifyTag;
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
            return Placement.atomic(opcode, memory, offset(key, va), sizeBytes, operand, expected);
        } catch (RuntimeException e) {
            Placement.forgetFence(e);
            return 0; // it was closed since the key was checked: no thread will see what is missing there
        }
    }

    @Override
    public boolean invalidate(int key, int connection, IntConsumer revoked) {
        Entry entry = find(key);
        if (entry == null || entry.owner == 0 || entry.peer == 0 || entry.peer != peers.peerOf(connection)) {
            return false;
        }
        revokeFor(entry.peer, entry.owner, revoked);
        return true;
    }

    /** The number of the key in records, also after it was revoked. */
    int recordId(int key) {
        int index = index(key);
        return index < used && entries[index] != null ? entries[index].recordId : 0;
    }

    /** What must hold between two calls. */
    private boolean isSound() {
        int free = young.count + old.count;
        return free >= 0 && free < used && young.isSound() && old.isSound();
    }
}
