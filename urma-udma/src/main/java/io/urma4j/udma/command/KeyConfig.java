package io.urma4j.udma.command;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory and the permissions of a key.
 *
 * @param memory the bytes; empty if they lie on a device
 * @param vaBase what peers, and the local ranges of work requests, call its first byte; 0 for keys of one's own
 * @param access bits of {@link io.urma4j.udma.ring.KeyAccess}: what peers may do; 0 for nothing
 * @param peer number of the only context that may use it ({@link PeerInfo#number}); 0 for every peer
 * @param owner whose it is: what {@link CardListener#invalidated} names, and what is revoked together; 0 for keys that
 *     no peer can invalidate
 * @param recordId what the record of a SEND_INVALIDATE names: the token id
 * @param anyVa whether the card may choose another VA base, which {@link CardCommands#vaBase} returns: such keys never run out
 * @param notifyTag what {@link CardListener#valueStored} names after each value that a WRITE_NOTIFY has stored by this key;
 *     {@link #SILENT} for a key that reports none
 * @param pin {@link #PINNED} for memory that is not unmapped before the key is revoked, so that packets may refer to it;
 *     {@link #NOT_PINNED} if its owner may unmap it at any time; or another key of the same memory, whose pin it shares
 * @param windowsOnly whether it belongs to a segment of windows: then a peer's SEND_INVALIDATE ends only what that peer has of it
 * @param device the bytes if they lie on a device, else null
 */
public record KeyConfig(
        MemorySegment memory,
        long vaBase,
        boolean anyVa,
        int access,
        int peer,
        long owner,
        int recordId,
        int notifyTag,
        int pin,
        boolean windowsOnly,
        @Nullable DeviceBytes device) {

    /**
     * Bytes in device memory.
     *
     * @param region number of the registration
     * @param offset of the first byte in the registration
     * @param address of that byte on its device, for the alignment of atomics
     */
    public record DeviceBytes(int region, long offset, long lengthBytes, long address) {
        /** A part of them. */
        public DeviceBytes part(long from, long partBytes) {
            return new DeviceBytes(region, offset + from, partBytes, address + from);
        }
    }

    /** {@link #notifyTag} of a key that reports no value. */
    public static final int SILENT = 0;

    /** A {@link #pin}. */
    public static final int NOT_PINNED = 0;

    /** A {@link #pin}; no key has that number. */
    public static final int PINNED = -1;

    /** A key of a segment that opens as a whole. */
    public KeyConfig(
            MemorySegment memory,
            long vaBase,
            boolean anyVa,
            int access,
            int peer,
            long owner,
            int recordId,
            int notifyTag,
            int pin) {
        this(memory, vaBase, anyVa, access, peer, owner, recordId, notifyTag, pin, false, null);
    }

    /** The same; it reports no value, and its memory is not pinned. */
    public KeyConfig(MemorySegment memory, long vaBase, int access, int peer, long owner, int recordId) {
        this(memory, vaBase, false, access, peer, owner, recordId, SILENT, NOT_PINNED);
    }

    /** Only for this machine's own work requests. */
    public static KeyConfig local(MemorySegment memory) {
        return new KeyConfig(memory, 0, 0, 0, 0, 0);
    }

    /** The same with another {@link #pin}. */
    public KeyConfig withPin(int other) {
        return new KeyConfig(
                memory, vaBase, anyVa, access, peer, owner, recordId, notifyTag, other, windowsOnly, device);
    }

    /** The same for bytes in memory of the host. */
    public KeyConfig inMemory(MemorySegment bytes) {
        return new KeyConfig(bytes, vaBase, anyVa, access, peer, owner, recordId, notifyTag, pin, windowsOnly, null);
    }

    /** The same for bytes on a device. */
    public KeyConfig onDevice(DeviceBytes bytes) {
        return new KeyConfig(
                MemorySegment.NULL,
                vaBase,
                anyVa,
                access,
                peer,
                owner,
                recordId,
                notifyTag,
                NOT_PINNED,
                windowsOnly,
                bytes);
    }

    /** How many bytes the key opens. */
    public long lengthBytes() {
        return device == null ? memory.byteSize() : device.lengthBytes();
    }

    /** The address of the first byte, for the alignment of atomics. */
    public long address() {
        return device == null ? memory.address() : device.address();
    }
}
