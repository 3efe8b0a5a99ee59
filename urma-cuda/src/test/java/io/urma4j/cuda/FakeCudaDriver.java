package io.urma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A CUDA driver in memory, stricter than the real one: a call by a virtual thread, or without a context, fails and is recorded;
 * a copy into freed memory loses the device; a freed address is the next to be used.
 */
final class FakeCudaDriver implements CudaDriver {
    /** No address of the host: canonical ones end below. */
    private static final long FIRST_ADDRESS = 1L << 50;

    private static final long FIRST_CONTEXT = 0xC000;
    private static final long DEVICE_BYTES = 256L << 20;

    /** What other libraries of a process allocate. */
    enum Kind {
        DEVICE,
        MANAGED,
        HOST,
        ARRAY,
        POOL
    }

    /** @param original what it maps, if it is memory of another process */
    private record Allocation(
            long base,
            MemorySegment bytes,
            long bufferId,
            int ordinal,
            Kind kind,
            @Nullable Exported original) {
        long lengthBytes() {
            return bytes.byteSize();
        }
    }

    /** An allocation that another driver, in place of another process, may map. */
    private static final class Exported {
        final FakeCudaDriver driver;
        final Allocation allocation;
        boolean freed; // both guarded by EXPORTED
        int openers;

        Exported(FakeCudaDriver driver, Allocation allocation) {
            this.driver = driver;
            this.allocation = allocation;
        }

        void closed() {
            synchronized (EXPORTED) {
                openers--;
            }
        }
    }

    private static final List<Exported> EXPORTED = new ArrayList<>(); // guarded by itself

    /** Records and ends of an event, as numbers that grow. */
    private static final class Event {
        int recorded;
        int ended;
    }

    private final int devices;
    private final Arena arena = Arena.ofShared();
    private final ThreadLocal<Long> current = ThreadLocal.withInitial(() -> 0L);

    private final TreeMap<Long, Allocation> allocations = new TreeMap<>(); // all guarded by this
    private final Map<Long, Deque<Long>> freeAddresses = new HashMap<>(); // by length, last freed first
    private final Map<Long, FakeStream> streams = new HashMap<>();
    private final Map<Long, Event> events = new HashMap<>();
    private final TreeMap<Long, Long> hostRanges = new TreeMap<>();
    private final int[] contexts;
    private final int[] sticky;
    private final Map<Long, Integer> syncMemops = new HashMap<>();
    private long nextAddress = FIRST_ADDRESS;
    private long nextHandle = 0x1000;
    private long nextBufferId = 1;

    private final Map<String, Integer> counts = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final Map<String, Integer> allowed = new ConcurrentHashMap<>(); // calls before they fail
    private final Map<String, Set<String>> threads = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> blocked = new ConcurrentHashMap<>();
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private volatile long delayNanos;
    private volatile boolean held;
    private volatile boolean needsFlush;

    FakeCudaDriver(int devices) {
        this.devices = devices;
        this.contexts = new int[devices];
        this.sticky = new int[devices];
    }

    // ---- what a test does and sees

    /** Each copy waits for so long before it begins. */
    void delay(long nanos) {
        delayNanos = nanos;
    }

    /** Stops the copies of all streams, or lets them go on. */
    void hold(boolean stopped) {
        held = stopped;
    }

    /** Whether writes of network cards need a flush. */
    void needFlush(boolean needed) {
        needsFlush = needed;
    }

    /** Every later call that needs the context of a device fails. */
    synchronized void lose(int ordinal, int code) {
        sticky[ordinal] = code;
        for (Allocation allocation : allocations.values()) {
            Exported original = allocation.original();
            if (original != null && allocation.ordinal() == ordinal) {
                original.closed(); // mappings end with their context
            }
        }
    }

    /** Each later call of a function fails; 0 ends that. */
    void fail(String function, int code) {
        failures.put(function, code);
    }

    /** The same after {@code calls} more calls, which succeed. */
    void failAfter(String function, int calls, int code) {
        allowed.put(function, count(function) + calls);
        fail(function, code);
    }

    /** Calls of a function so far. */
    int count(String function) {
        return counts.getOrDefault(function, 0);
    }

    /** The names of the threads that called a function. */
    Set<String> threads(String function) {
        return Set.copyOf(threads.getOrDefault(function, Set.of()));
    }

    /** Each later call of a function waits; of one that holds no lock of the driver, such as cuPointerGetAttributes. */
    void block(String function, CountDownLatch end) {
        blocked.put(function, end);
    }

    /** Ends what {@link #hold} and {@link #block} began, so that a test that has failed can close what it opened. */
    void letGo() {
        held = false;
        blocked.values().forEach(CountDownLatch::countDown);
        blocked.clear();
    }

    /** How often each allocation was made safe for peers, by its buffer id. */
    synchronized Map<Long, Integer> syncMemops() {
        return Map.copyOf(syncMemops);
    }

    /** What a real driver would refuse, or would not survive. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    /** What was not given back. */
    synchronized List<String> leftovers() {
        List<String> left = new ArrayList<>();
        if (!streams.isEmpty()) {
            left.add(streams.size() + " streams");
        }
        if (!events.isEmpty()) {
            left.add(events.size() + " events");
        }
        if (!hostRanges.isEmpty()) {
            left.add(hostRanges.size() + " host ranges");
        }
        if (!allocations.isEmpty()) {
            left.add(allocations.size() + " allocations");
        }
        for (int retained : contexts) {
            if (retained != 0) {
                left.add("a context retained " + retained + " times");
            }
        }
        return left;
    }

    /** Allocates as another library of the process does. */
    synchronized long allocate(int ordinal, long lengthBytes, Kind kind) {
        Deque<Long> free = freeAddresses.computeIfAbsent(lengthBytes, _ -> new ArrayDeque<>());
        long base = free.isEmpty() ? nextAddress : free.pop();
        if (base == nextAddress) {
            nextAddress += lengthBytes + 511 & -512L;
        }
        allocations.put(base, new Allocation(base, arena.allocate(lengthBytes), nextBufferId++, ordinal, kind, null));
        return base;
    }

    /** Frees as another library does, whatever is registered. */
    synchronized void freeForeign(long address) {
        Allocation freed = allocations.remove(address);
        if (freed == null || freed.original() != null) {
            throw failure("cuMemFree_v2", CudaCode.INVALID_VALUE);
        }
        synchronized (EXPORTED) {
            EXPORTED.stream().filter(one -> one.allocation.equals(freed)).forEach(one -> {
                one.freed = true;
                if (one.openers > 0) {
                    violations.add("memory was freed that another process has open");
                }
            });
        }
        freeAddresses
                .computeIfAbsent(freed.lengthBytes(), _ -> new ArrayDeque<>())
                .push(address);
    }

    /** What a kernel of the device sees. */
    synchronized byte byteAt(long address) {
        Allocation allocation = at(address, 1);
        return allocation == null ? 0 : allocation.bytes().get(ValueLayout.JAVA_BYTE, address - allocation.base());
    }

    long delayNanos() {
        return delayNanos;
    }

    boolean isHeld() {
        return held;
    }

    synchronized int stickyCode(int ordinal) {
        return sticky[ordinal];
    }

    /** Ends the threads. */
    synchronized void end() {
        held = false;
        streams.values().forEach(FakeStream::destroy);
    }

    // ---- the driver

    private static CudaException failure(String function, int code) {
        return new CudaException(function, code, "CUDA_ERROR_FAKE", "");
    }

    private void enter(String function) {
        counts.merge(function, 1, Integer::sum);
        threads.computeIfAbsent(function, _ -> ConcurrentHashMap.newKeySet())
                .add(Thread.currentThread().getName());
        awaitEnd(blocked.get(function));
        if (Thread.currentThread().isVirtual()) {
            violations.add(function + " by a virtual thread");
            throw failure(function, CudaCode.INVALID_CONTEXT);
        }
        int code = failures.getOrDefault(function, 0);
        if (code != 0 && count(function) > allowed.getOrDefault(function, 0)) {
            throw failure(function, code);
        }
    }

    private static void awaitEnd(@Nullable CountDownLatch blocked) {
        if (blocked != null) {
            try {
                blocked.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the device of the current context. */
    private int enterWithContext(String function) {
        enter(function);
        long context = current.get();
        if (context == 0) {
            violations.add(function + " without a context");
            throw failure(function, CudaCode.INVALID_CONTEXT);
        }
        int ordinal = (int) (context - FIRST_CONTEXT);
        int code = stickyCode(ordinal);
        if (code != 0) {
            throw failure(function, code);
        }
        return ordinal;
    }

    private int checked(String function, int ordinal) {
        if (ordinal < 0 || ordinal >= devices) {
            throw failure(function, CudaCode.INVALID_DEVICE);
        }
        return ordinal;
    }

    private synchronized Allocation at(long address, long lengthBytes) {
        Map.Entry<Long, Allocation> entry = allocations.floorEntry(address);
        Allocation found = entry == null ? null : entry.getValue();
        return found != null && address - found.base() <= found.lengthBytes() - lengthBytes ? found : null;
    }

    @Override
    public int version() {
        return 12_040;
    }

    @Override
    public int deviceCount() {
        return devices;
    }

    @Override
    public CudaDeviceInfo device(int ordinal) {
        checked("cuDeviceGet", ordinal);
        return new CudaDeviceInfo(
                ordinal,
                "fake GPU",
                "GPU-00000000-0000-0000-0000-%012d".formatted(ordinal),
                "0000:%02x:00.0".formatted(ordinal + 1),
                DEVICE_BYTES);
    }

    @Override
    public int attribute(int ordinal, int attribute) {
        checked("cuDeviceGetAttribute", ordinal);
        return switch (attribute) {
            case ATTRIBUTE_FLUSH_WRITES_OPTIONS -> 1;
            case ATTRIBUTE_WRITES_ORDERING -> needsFlush ? 0 : FLUSH_TO_OWNER;
            case ATTRIBUTE_DMA_BUF_SUPPORTED -> 0;
            default -> throw failure("cuDeviceGetAttribute", CudaCode.INVALID_VALUE);
        };
    }

    @Override
    public synchronized long retainPrimaryContext(int ordinal) {
        enter("cuDevicePrimaryCtxRetain");
        contexts[checked("cuDevicePrimaryCtxRetain", ordinal)]++;
        return FIRST_CONTEXT + ordinal;
    }

    @Override
    public synchronized void releasePrimaryContext(int ordinal) {
        enter("cuDevicePrimaryCtxRelease_v2");
        if (contexts[checked("cuDevicePrimaryCtxRelease_v2", ordinal)] == 0) {
            throw failure("cuDevicePrimaryCtxRelease_v2", CudaCode.INVALID_CONTEXT);
        }
        contexts[ordinal]--;
    }

    @Override
    public void setCurrentContext(long context) {
        enter("cuCtxSetCurrent");
        current.set(context);
    }

    @Override
    public long currentContext() {
        enter("cuCtxGetCurrent");
        return current.get();
    }

    @Override
    public synchronized long allocate(long lengthBytes) {
        int ordinal = enterWithContext("cuMemAlloc_v2");
        if (lengthBytes == 0) {
            throw failure("cuMemAlloc_v2", CudaCode.INVALID_VALUE);
        }
        if (lengthBytes > freeBytes(ordinal)) {
            throw failure("cuMemAlloc_v2", CudaCode.OUT_OF_MEMORY);
        }
        return allocate(ordinal, lengthBytes, Kind.DEVICE);
    }

    @Override
    public synchronized void free(long address) {
        enterWithContext("cuMemFree_v2");
        freeForeign(address);
    }

    @Override
    public synchronized long freeBytes() {
        return freeBytes(enterWithContext("cuMemGetInfo_v2"));
    }

    private long freeBytes(int ordinal) {
        return DEVICE_BYTES
                - allocations.values().stream()
                        .filter(allocation -> allocation.ordinal() == ordinal)
                        .mapToLong(Allocation::lengthBytes)
                        .sum();
    }

    @Override
    public AddressRange addressRange(long address) {
        enterWithContext("cuMemGetAddressRange_v2");
        Allocation found = at(address, 1);
        if (found == null) {
            throw failure("cuMemGetAddressRange_v2", CudaCode.INVALID_VALUE);
        }
        return new AddressRange(found.base(), found.lengthBytes());
    }

    @Override
    public Optional<PointerAttributes> pointerAttributes(long address) {
        enter("cuPointerGetAttributes");
        Allocation found = at(address, 1);
        if (found == null) {
            return Optional.empty();
        }
        int type = switch (found.kind()) {
            case HOST -> PointerAttributes.HOST;
            case ARRAY -> 3;
            case DEVICE, MANAGED, POOL -> PointerAttributes.DEVICE;
        };
        return Optional.of(new PointerAttributes(
                found.kind() == Kind.POOL ? 0 : FIRST_CONTEXT + found.ordinal(),
                type,
                found.bufferId(),
                found.kind() == Kind.MANAGED,
                found.ordinal(),
                found.base(),
                found.lengthBytes(),
                false));
    }

    @Override
    public synchronized void setSyncMemops(long address) {
        enterWithContext("cuPointerSetAttribute");
        Allocation found = at(address, 1);
        if (found == null) {
            throw failure("cuPointerSetAttribute", CudaCode.INVALID_VALUE);
        }
        if (found.original() != null) {
            violations.add("memory of another process was made safe for peers");
        }
        syncMemops.merge(found.bufferId(), 1, Integer::sum);
    }

    @Override
    public void registerHost(long address, long lengthBytes, int flags) {
        enterWithContext("cuMemHostRegister_v2");
        synchronized (this) {
            Map.Entry<Long, Long> before = hostRanges.lowerEntry(address + lengthBytes);
            if (before != null && before.getKey() + before.getValue() > address) {
                throw failure("cuMemHostRegister_v2", CudaCode.HOST_MEMORY_ALREADY_REGISTERED);
            }
            hostRanges.put(address, lengthBytes);
        }
    }

    @Override
    public synchronized void unregisterHost(long address) {
        enterWithContext("cuMemHostUnregister");
        if (hostRanges.remove(address) == null) {
            throw failure("cuMemHostUnregister", CudaCode.HOST_MEMORY_NOT_REGISTERED);
        }
    }

    @Override
    public void copyIn(long address, long host, long lengthBytes, long stream) {
        String function = "cuMemcpyHtoDAsync_v2";
        start(function, address, lengthBytes, stream, there -> there.copyFrom(host(host, lengthBytes)));
    }

    @Override
    public void copyOut(long host, long address, long lengthBytes, long stream) {
        String function = "cuMemcpyDtoHAsync_v2";
        start(
                function,
                address,
                lengthBytes,
                stream,
                there -> host(host, lengthBytes).copyFrom(there));
    }

    @Override
    public void copyWithin(long to, long from, long lengthBytes, long stream) {
        String function = "cuMemcpyDtoDAsync_v2";
        int ordinal = enterWithContext(function);
        if (at(from, lengthBytes) == null) {
            throw failure(function, CudaCode.INVALID_VALUE);
        }
        start(function, to, lengthBytes, stream, there -> {
            Allocation source = at(from, lengthBytes);
            if (source == null) {
                lose(ordinal, CudaCode.ILLEGAL_ADDRESS);
            } else {
                there.copyFrom(source.bytes().asSlice(from - source.base(), lengthBytes));
            }
        });
    }

    @Override
    public void fill(long address, byte value, long lengthBytes, long stream) {
        start("cuMemsetD8Async", address, lengthBytes, stream, there -> there.fill(value));
    }

    @SuppressWarnings("restricted") // the driver gets numbers, as the real one does
    private static MemorySegment host(long address, long lengthBytes) {
        return MemorySegment.ofAddress(address).reinterpret(lengthBytes);
    }

    private interface Movement {
        void move(MemorySegment there);
    }

    private void start(String function, long address, long lengthBytes, long stream, Movement movement) {
        int ordinal = enterWithContext(function);
        if (at(address, lengthBytes) == null) {
            throw failure(function, CudaCode.INVALID_VALUE);
        }
        stream(function, stream).add(() -> {
            synchronized (this) {
                Allocation there = at(address, lengthBytes);
                if (there == null) {
                    violations.add(function + " moved bytes of freed memory");
                    lose(ordinal, CudaCode.ILLEGAL_ADDRESS);
                } else {
                    movement.move(there.bytes().asSlice(address - there.base(), lengthBytes));
                }
            }
        });
    }

    private synchronized FakeStream stream(String function, long handle) {
        FakeStream stream = streams.get(handle);
        if (stream == null) {
            throw failure(function, CudaCode.INVALID_HANDLE);
        }
        return stream;
    }

    @Override
    public synchronized long createStream(int flags) {
        int ordinal = enterWithContext("cuStreamCreate");
        if (flags != STREAM_NON_BLOCKING) {
            violations.add("a stream that waits for the default stream");
        }
        long handle = nextHandle++;
        streams.put(handle, new FakeStream(this, ordinal));
        return handle;
    }

    @Override
    public void synchronizeStream(long stream) {
        int ordinal = enterWithContext("cuStreamSynchronize");
        CountDownLatch end = new CountDownLatch(1);
        stream("cuStreamSynchronize", stream).add(end::countDown);
        try {
            while (!end.await(1, TimeUnit.MILLISECONDS)) {
                int code = stickyCode(ordinal);
                if (code != 0) {
                    throw failure("cuStreamSynchronize", code);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("cuStreamSynchronize", CudaCode.TIMEOUT);
        }
    }

    @Override
    public boolean isStreamDone(long stream) {
        enterWithContext("cuStreamQuery");
        return stream("cuStreamQuery", stream).isDone();
    }

    @Override
    public synchronized void destroyStream(long stream) {
        enterWithContext("cuStreamDestroy_v2");
        stream("cuStreamDestroy_v2", stream).destroy();
        streams.remove(stream);
    }

    @Override
    public synchronized long createEvent(int flags) {
        enterWithContext("cuEventCreate");
        if (flags != EVENT_DISABLE_TIMING) {
            violations.add("an event with a time stamp");
        }
        long handle = nextHandle++;
        events.put(handle, new Event());
        return handle;
    }

    private synchronized Event event(String function, long handle) {
        Event event = events.get(handle);
        if (event == null) {
            throw failure(function, CudaCode.INVALID_HANDLE);
        }
        return event;
    }

    @Override
    public synchronized void recordEvent(long event, long stream) {
        enterWithContext("cuEventRecord");
        Event recorded = event("cuEventRecord", event);
        int number = ++recorded.recorded;
        stream("cuEventRecord", stream).add(() -> {
            synchronized (this) {
                recorded.ended = number;
            }
        });
    }

    @Override
    public boolean isDone(long event) {
        enterWithContext("cuEventQuery");
        synchronized (this) {
            Event asked = event("cuEventQuery", event);
            return asked.ended == asked.recorded;
        }
    }

    @Override
    public synchronized void destroyEvent(long event) {
        enterWithContext("cuEventDestroy_v2");
        event("cuEventDestroy_v2", event);
        events.remove(event);
    }

    @Override
    public void flushWrites(int scope) {
        enterWithContext("cuFlushGPUDirectRDMAWrites");
    }

    @Override
    public synchronized byte[] ipcHandle(long address) {
        enterWithContext("cuIpcGetMemHandle");
        Allocation found = at(address, 1);
        if (found == null || found.original() != null) {
            throw failure("cuIpcGetMemHandle", CudaCode.INVALID_VALUE);
        }
        byte[] handle = new byte[IPC_HANDLE_BYTES];
        synchronized (EXPORTED) {
            MemorySegment.ofArray(handle).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, EXPORTED.size());
            EXPORTED.add(new Exported(this, found));
        }
        return handle;
    }

    @Override
    public synchronized long openIpcHandle(byte[] handle, int flags) {
        String function = "cuIpcOpenMemHandle_v2";
        int ordinal = enterWithContext(function);
        long number = MemorySegment.ofArray(handle).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        synchronized (EXPORTED) {
            if (number < 0 || number >= EXPORTED.size() || flags != IPC_LAZY_ENABLE_PEER_ACCESS) {
                throw failure(function, CudaCode.INVALID_VALUE);
            }
            Exported exported = EXPORTED.get((int) number);
            if (exported.driver == this) {
                throw failure(function, CudaCode.INVALID_CONTEXT);
            }
            if (exported.freed) {
                throw failure(function, CudaCode.INVALID_VALUE);
            }
            if (allocations.values().stream().anyMatch(one -> one.original() == exported)) {
                throw failure(function, CudaCode.ALREADY_MAPPED);
            }
            exported.openers++;
            long base = nextAddress;
            nextAddress += exported.allocation.lengthBytes();
            MemorySegment bytes = exported.allocation.bytes();
            allocations.put(base, new Allocation(base, bytes, nextBufferId++, ordinal, Kind.DEVICE, exported));
            return base;
        }
    }

    @Override
    public synchronized void closeIpcHandle(long address) {
        enterWithContext("cuIpcCloseMemHandle");
        Allocation mapped = allocations.get(address);
        Exported original = mapped == null ? null : mapped.original();
        if (original == null) {
            throw failure("cuIpcCloseMemHandle", CudaCode.INVALID_VALUE);
        }
        allocations.remove(address);
        original.closed();
    }

    @Override
    public int dmaBuf(long address, long lengthBytes) {
        enterWithContext("cuMemGetHandleForAddressRange");
        throw failure("cuMemGetHandleForAddressRange", CudaCode.NOT_SUPPORTED);
    }
}
