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
    private final NpuStore.@Nullable Own store; // null if no other process opens its memory
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
        this.store =
                config.ipc() ? NpuStore.create(config.pageBytes(), config.memoryBytes() / config.pageBytes()) : null;
        this.frames = new NpuFrames(config, ordinal, store == null ? null : store.store());
    }

    synchronized long allocate(long lengthBytes, NpuMemoryKind kind) {
        checkPresent();
        long rounded = (lengthBytes + GRANULE_BYTES - 1) & -GRANULE_BYTES;
        checkFree(lengthBytes, rounded);
        long address = addresses.take(rounded);
        NpuAllocation allocation = new NpuAllocation(address, rounded, nextBufferId++, kind, taken(rounded), null);
        allocations.put(address, allocation);
        return address;
    }

    private void checkFree(long lengthBytes, long roundedBytes) {
        long freeBytes = (long) frames.freeCount() * config.pageBytes();
        if (lengthBytes > freeBytes || roundedBytes > freeBytes) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, this, "lacks memory for " + lengthBytes + " bytes; " + freeBytes + " are free");
        }
    }

    /** Lets other processes open an allocation; {@link #unshare} ends that. */
    synchronized NpuAllocation share(long address) {
        checkPresent();
        NpuAllocation found = allocations.get(address);
        if (store == null || found == null || found.freed || found.kind != NpuMemoryKind.DEVICE) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    this,
                    "no allocation that can be shared begins at 0x" + Long.toHexString(address));
        }
        found.shared++;
        frames.show(found.frames, found.bufferId);
        return found;
    }

    /** No other process has it open any more. */
    synchronized void unshare(NpuAllocation allocation) {
        if (--allocation.shared == 0 && allocation.freed && !allocations.containsValue(allocation)) {
            giveBack(allocation); // a reset had to leave its pages to those processes
        }
    }

    NpuHandle handle(NpuAllocation allocation) {
        NpuStore.Own own = store;
        if (own == null) {
            throw new IllegalStateException(this + " shares no memory");
        }
        return new NpuHandle(
                own.descriptor(),
                ProcessHandle.current().pid(),
                own.store().nonceHigh(),
                own.store().nonceLow(),
                ordinal,
                allocation.bufferId,
                allocation.lengthBytes);
    }

    /** Maps an allocation of another process, or of another library of this one. */
    NpuAllocation open(NpuHandle handle) {
        NpuStore theirs = NpuStore.open(handle, config.pageBytes());
        try {
            return add(handle, theirs);
        } catch (RuntimeException e) {
            theirs.close();
            throw e;
        }
    }

    private synchronized NpuAllocation add(NpuHandle handle, NpuStore theirs) {
        checkPresent();
        if (handle.lengthBytes() > config.memoryBytes()) {
            throw NpuStore.refused(handle, "it has " + handle.lengthBytes() + " bytes, more than a device here");
        }
        MemorySegment[] pages = theirs.pagesOf(handle, (int) (handle.lengthBytes() / config.pageBytes()));
        long address = addresses.take(handle.lengthBytes());
        NpuAllocation made = new NpuAllocation(
                address, handle.lengthBytes(), nextBufferId++, NpuMemoryKind.IMPORTED, frames.foreign(pages), theirs);
        allocations.put(address, made);
        return made;
    }

    /** Unmaps what {@link #open} mapped; its registration has ended. */
    synchronized void closeOpened(NpuAllocation allocation) {
        if (allocations.remove(allocation.address, allocation)) { // else a reset has taken it away
            addresses.giveBack(allocation.address, allocation.lengthBytes);
        }
        NpuStore theirs = allocation.opened;
        if (theirs != null) {
            theirs.close();
        }
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
     *
     * @return whether peers may have it open: a driver defines no behaviour for that, and its bytes are reused at once
     */
    boolean free(long address, InvalidationReason reason) {
        NpuAllocation allocation;
        List<NpuRegistration> registrations;
        synchronized (this) {
            NpuAllocation found = allocations.get(address);
            if (found == null || found.freed || (found.opened != null && reason == InvalidationReason.FREED)) {
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
            boolean isShared = allocation.shared > 0;
            if (isShared && reason != InvalidationReason.FREED) {
                frames.hide(allocation.frames); // until the other processes no longer write to them
            } else if (allocation.opened == null) {
                giveBack(allocation);
            }
            return isShared;
        }
    }

    private void giveBack(NpuAllocation allocation) {
        for (Frame frame : allocation.frames) {
            if (pins.containsKey(frame)) {
                freedWhilePinned.add(frame);
            } else {
                frames.giveBack(frame);
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
            if (allocation.freed) {
                throw new UrmaException(UrmaStatus.EINVAL, this, "memory was freed before it moved");
            }
            Frame[] old = allocation.frames;
            for (Frame frame : old) {
                if (pins.containsKey(frame)) {
                    throw new UrmaException(UrmaStatus.EAGAIN, this, "pinned pages cannot move");
                }
            }
            checkFree(allocation.lengthBytes, allocation.lengthBytes);
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
        allocations.values().forEach(allocation -> {
            if (allocation.opened != null) {
                allocation.opened.close();
            }
        });
        frames.close();
        if (store != null) {
            store.close();
        }
        addresses.close();
    }

    @Override
    public String toString() {
        return "simulated NPU " + ordinal;
    }
}
