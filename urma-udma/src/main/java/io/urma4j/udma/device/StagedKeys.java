package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.CopyState;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * The memory that peers reach, some of it on devices. The keys decide what is allowed; a {@link CopyPort} moves the bytes of
 * device memory.
 */
final class StagedKeys implements Memory {
    private static final int SLOT_MASK = 0xFFFF;

    private final DeviceKeys keys;
    private final CopyPort copies;
    private final IntFunction<CopyWaiter> connections;

    // of fetches, by the slot of their copy: a key that was revoked meanwhile sends no byte
    private Fetch[] fetches = new Fetch[0];

    /** The key that a fetch was begun with. */
    private static final class Fetch {
        int key;
        long va;
        int connection;
    }

    StagedKeys(DeviceKeys keys, CopyPort copies, IntFunction<CopyWaiter> connections) {
        this.keys = keys;
        this.copies = copies;
        this.connections = connections;
    }

    private CopyWaiter waiter(int connection) {
        return connections.apply(connection);
    }

    // ---- bytes on a device

    @Override
    public long place(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        if (keys.write(key, va, from, fromOffset, lengthBytes, connection)) {
            return AT_ONCE; // memory of the host, as mostly
        }
        int region = keys.region(key);
        return region != DeviceKeys.NO_REGION && keys.isAllowed(key, va, lengthBytes, WRITE, connection)
                ? copies.copyIn(region, keys.regionOffset(key, va), from, fromOffset, lengthBytes, waiter(connection))
                : REFUSED;
    }

    @Override
    public boolean answersLater(int key) {
        return keys.region(key) != DeviceKeys.NO_REGION;
    }

    @Override
    public long fetch(int key, long va, int lengthBytes, int connection) {
        int region = keys.region(key);
        if (region == DeviceKeys.NO_REGION || !keys.isAllowed(key, va, lengthBytes, READ, connection)) {
            return REFUSED;
        }
        long copy = copies.copyOut(region, keys.regionOffset(key, va), lengthBytes, waiter(connection));
        if (copy > 0) {
            Fetch fetch = fetchOf(copy);
            fetch.key = key;
            fetch.va = va;
            fetch.connection = connection;
        }
        return copy;
    }

    private Fetch fetchOf(long copy) {
        int slot = (int) copy & SLOT_MASK;
        if (slot >= fetches.length) {
            int known = fetches.length;
            fetches = Arrays.copyOf(fetches, Math.max(slot + 1, 2 * known));
            for (int i = known; i < fetches.length; i++) {
                fetches[i] = new Fetch();
            }
        }
        return fetches[slot];
    }

    @Override
    public boolean load(long copy, long fromOffset, Packet to, int lengthBytes) {
        Fetch fetch = fetchOf(copy);
        if (!keys.isAllowed(fetch.key, fetch.va + fromOffset, lengthBytes, READ, fetch.connection)) {
            return false;
        }
        MemorySegment.copy(copies.bytes(copy), fromOffset, to.bytes().segment(), to.payloadAt(), lengthBytes);
        return true;
    }

    @Override
    public long beginAtomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        int region = keys.region(key);
        return region == DeviceKeys.NO_REGION
                ? AT_ONCE
                : copies.atomic(
                        opcode, region, keys.regionOffset(key, va), sizeBytes, operand, expected, waiter(connection));
    }

    @Override
    public long original(long copy) {
        return copies.original(copy);
    }

    @Override
    public CopyState state(long copy) {
        return copies.state(copy);
    }

    @Override
    public void release(long copy) {
        copies.release(copy);
    }

    // ---- bytes of the host

    @Override
    public boolean isAllowed(int key, long va, long lengthBytes, int access, int connection) {
        return keys.isAllowed(key, va, lengthBytes, access, connection);
    }

    @Override
    public boolean write(int key, long va, NativeMemory from, long fromOffset, int lengthBytes, int connection) {
        return keys.write(key, va, from, fromOffset, lengthBytes, connection);
    }

    @Override
    public boolean read(int key, long va, Packet to, int lengthBytes, int connection) {
        return keys.read(key, va, to, lengthBytes, connection);
    }

    @Override
    public boolean store(int key, long va, long value, int connection) {
        return keys.store(key, va, value, connection);
    }

    @Override
    public long atomic(int opcode, int key, long va, int sizeBytes, long operand, long expected, int connection) {
        return keys.atomic(opcode, key, va, sizeBytes, operand, expected, connection);
    }

    // ---- revocation

    @Override
    public long invalidate(int key, int connection) {
        CopyWaiter waiter = waiter(connection);
        long[] awaited = {AT_ONCE}; // the copies that are in progress by revoked keys
        boolean isAllowed =
                keys.invalidate(key, connection, region -> awaited[0] = copies.barrier(awaited[0], region, waiter));
        return isAllowed ? awaited[0] : REFUSED;
    }
}
