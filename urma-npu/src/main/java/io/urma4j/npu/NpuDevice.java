package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.npu.NpuFrames.Frame;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.InvalidationReason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One device: its allocations, its page table, and what is pinned. Its monitor is the driver's lock. Safe for any thread. */
final class NpuDevice {
    /** Allocations are multiples of this. */
    static final long GRANULE_BYTES = 2L << 20;

    private final int ordinal;
    private final NpuConfig config;
    private final NpuAddresses addresses; // this and all below guarded by this
    private final NpuFrames frames;
    private final TreeMap<Long, NpuAllocation> allocations = new TreeMap<>();
    private final Map<Frame, Integer> pins = new HashMap<>();
    private final List<Frame> freedWhilePinned = new ArrayList<>();
    private long pinnedBytes;
    private long nextBufferId = 1;
    private boolean lost;

    NpuDevice(int ordinal, NpuConfig config) {
        this.ordinal = ordinal;
        this.config = config;
        this.addresses = new NpuAddresses(2 * config.memoryBytes());
        this.frames = new NpuFrames(config, ordinal);
    }

    synchronized long allocate(long lengthBytes, NpuMemoryKind kind) {
        checkPresent();
        long rounded = (lengthBytes + GRANULE_BYTES - 1) & -GRANULE_BYTES;
        long freeBytes = (long) frames.freeCount() * config.pageBytes();
        if (lengthBytes > freeBytes || rounded > freeBytes) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, this, "lacks memory for " + lengthBytes + " bytes; " + freeBytes + " are free");
        }
        long address = addresses.take(rounded);
        NpuAllocation allocation = new NpuAllocation(address, rounded, nextBufferId++, kind, taken(rounded));
        allocations.put(address, allocation);
        return address;
    }

    private Frame[] taken(long lengthBytes) {
        Frame[] all = new Frame[(int) (lengthBytes / config.pageBytes())];
        for (int i = 0; i < all.length; i++) {
            all[i] = frames.take();
        }
        return all;
    }

    /**
     * Frees an allocation. Its registrations are invalidated first, under no lock of the device, as a driver that lets its
     * callbacks run; the bytes are reused only afterwards, and pinned ones only once they are put.
     */
    void free(long address, InvalidationReason reason) {
        NpuAllocation allocation;
        List<NpuRegistration> registrations;
        synchronized (this) {
            NpuAllocation found = allocations.get(address);
            if (found == null || found.freed) {
                throw new UrmaException(
                        UrmaStatus.EINVAL, this, "no allocation begins at 0x" + Long.toHexString(address));
            }
            allocation = found;
            allocation.freed = true;
            registrations = List.copyOf(allocation.registrations);
        }
        registrations.reversed().forEach(registration -> registration.invalidate(reason));
        synchronized (this) {
            allocations.remove(address);
            addresses.giveBack(address, allocation.lengthBytes);
            for (Frame frame : allocation.frames) {
                if (pins.containsKey(frame)) {
                    freedWhilePinned.add(frame);
                } else {
                    frames.giveBack(frame);
                }
            }
        }
    }

    /** Moves an allocation to other pages. */
    void move(long address) {
        NpuAllocation allocation;
        List<NpuRegistration> registrations;
        synchronized (this) {
            allocation = at(address, 1);
            registrations = List.copyOf(allocation.registrations);
        }
        registrations.reversed().forEach(registration -> registration.invalidate(InvalidationReason.REMAPPED));
        synchronized (this) {
            Frame[] old = allocation.frames;
            for (Frame frame : old) {
                if (pins.containsKey(frame)) {
                    throw new UrmaException(UrmaStatus.EAGAIN, this, "pinned pages cannot move");
                }
            }
            Frame[] next = taken(allocation.lengthBytes);
            for (int i = 0; i < old.length; i++) {
                next[i].bytes().copyFrom(old[i].bytes());
                next[i].seen().copyFrom(old[i].seen());
                frames.giveBack(old[i]);
            }
            allocation.frames = next;
        }
    }

    /** Ends all allocations, newest first. */
    void reset(InvalidationReason reason) {
        List<Long> all;
        synchronized (this) {
            lost = reason == InvalidationReason.DEVICE_LOST;
            all = List.copyOf(allocations.descendingKeySet());
        }
        all.forEach(address -> free(address, reason));
    }

    /** The allocation that a range lies in as a whole; null if there is none. */
    synchronized @Nullable NpuAllocation find(DeviceRange range) {
        Map.Entry<Long, NpuAllocation> entry = allocations.floorEntry(range.address());
        NpuAllocation found = entry == null ? null : entry.getValue();
        return found != null && !found.freed && found.contains(range.address(), range.lengthBytes()) ? found : null;
    }

    private NpuAllocation at(long address, long lengthBytes) {
        Map.Entry<Long, NpuAllocation> entry = allocations.floorEntry(address);
        if (entry == null || !entry.getValue().contains(address, lengthBytes)) {
            throw new UrmaException(
                    UrmaStatus.FAIL, this, "illegal address 0x" + Long.toHexString(address) + " + " + lengthBytes);
        }
        return entry.getValue();
    }

    /** Pins the pages of a range for a registration. */
    synchronized Frame[] pin(NpuAllocation allocation, DeviceRange pages, NpuRegistration registration) {
        checkPresent();
        if (allocation.freed) {
            throw new UrmaException(UrmaStatus.EINVAL, this, "memory " + pages + " was freed");
        }
        if (pages.lengthBytes() > config.windowBytes() - pinnedBytes) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN,
                    this,
                    "window of " + config.windowBytes() + " bytes is exhausted: " + pinnedBytes + " are pinned");
        }
        int first = (int) ((pages.address() - allocation.address) / config.pageBytes());
        Frame[] pinned = new Frame[(int) (pages.lengthBytes() / config.pageBytes())];
        for (int i = 0; i < pinned.length; i++) {
            pinned[i] = allocation.frames[first + i];
            pins.merge(pinned[i], 1, Integer::sum);
        }
        pinnedBytes += pages.lengthBytes();
        allocation.registrations.add(registration);
        return pinned;
    }

    synchronized void unpin(NpuAllocation allocation, Frame[] pinned, NpuRegistration registration) {
        allocation.registrations.remove(registration);
        pinnedBytes -= (long) pinned.length * config.pageBytes();
        for (Frame frame : pinned) {
            boolean isLast = pins.merge(frame, -1, Integer::sum) == 0;
            if (isLast) {
                pins.remove(frame);
                if (freedWhilePinned.remove(frame)) {
                    frames.giveBack(frame);
                }
            }
        }
    }

    synchronized long pinnedBytes() {
        return pinnedBytes;
    }

    /** Moves bytes of one page between the host and the device; returns how many. */
    synchronized long copyPart(long address, MemorySegment host, boolean toDevice) {
        checkPresent();
        Part part = part(address, host.byteSize());
        MemorySegment there = part.frame.bytes().asSlice(part.offset, part.lengthBytes);
        if (toDevice) {
            there.copyFrom(host.asSlice(0, part.lengthBytes));
        } else {
            host.copyFrom(there);
        }
        return part.lengthBytes;
    }

    synchronized long fillPart(long address, long lengthBytes, byte value) {
        checkPresent();
        Part part = part(address, lengthBytes);
        part.frame.bytes().asSlice(part.offset, part.lengthBytes).fill(value);
        return part.lengthBytes;
    }

    /** What a kernel sees. */
    synchronized void kernelRead(long address, MemorySegment target) {
        for (long done = 0; done < target.byteSize(); ) {
            Part part = part(address + done, target.byteSize() - done);
            target.asSlice(done).copyFrom(part.frame.seen().asSlice(part.offset, part.lengthBytes));
            done += part.lengthBytes;
        }
    }

    /** What a kernel stores; peers see it at once. */
    synchronized void kernelWrite(long address, MemorySegment source) {
        for (long done = 0; done < source.byteSize(); ) {
            Part part = part(address + done, source.byteSize() - done);
            MemorySegment piece = source.asSlice(done, part.lengthBytes);
            part.frame.bytes().asSlice(part.offset, part.lengthBytes).copyFrom(piece);
            part.frame.seen().asSlice(part.offset, part.lengthBytes).copyFrom(piece);
            done += part.lengthBytes;
        }
    }

    /** Lets kernels see what copies and peers wrote. */
    synchronized void flush(DeviceRange range) {
        if (!config.stale()) {
            return;
        }
        for (long done = 0; done < range.lengthBytes(); ) {
            Part part = part(range.address() + done, range.lengthBytes() - done);
            part.frame
                    .seen()
                    .asSlice(part.offset, part.lengthBytes)
                    .copyFrom(part.frame.bytes().asSlice(part.offset, part.lengthBytes));
            done += part.lengthBytes;
        }
    }

    /** The frame at a physical address, without asking any table: what an untranslated access reaches. */
    synchronized @Nullable Frame frameAt(long physical) {
        return frames.at(physical);
    }

    /** The bytes of a range that lie on the page of its first byte. */
    private record Part(Frame frame, long offset, long lengthBytes) {}

    private Part part(long address, long lengthBytes) {
        NpuAllocation allocation = at(address, 1);
        long offset = address - allocation.address;
        long inPage = offset & (config.pageBytes() - 1);
        Frame frame = allocation.frames[(int) (offset / config.pageBytes())];
        return new Part(frame, inPage, Math.min(lengthBytes, config.pageBytes() - inPage));
    }

    private void checkPresent() {
        if (lost) {
            throw new UrmaException(UrmaStatus.FAIL, this, "is lost");
        }
    }

    synchronized void close() {
        frames.close();
        addresses.close();
    }

    @Override
    public String toString() {
        return "simulated NPU " + ordinal;
    }
}
