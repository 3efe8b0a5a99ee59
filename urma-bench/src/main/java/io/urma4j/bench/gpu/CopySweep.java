package io.urma4j.bench.gpu;

import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/**
 * Round trips host, device, host of many lengths, each at many alignments of source, device and target. The CRC must be that
 * of the source, and the bytes around must be as they were. Reports nothing itself. Of one thread.
 *
 * <pre>
 *   device: | canary | copy | canary |      target: | canary | copy | canary |
 * </pre>
 */
final class CopySweep {
    /** Lengths around the steps of copy engines: cache lines, pages, the engine's fragment, and the blocks of a device. */
    static final List<Integer> LENGTHS = IntStream.concat(
                    IntStream.rangeClosed(1, 17),
                    IntStream.of(64, 4 << 10, 64 << 10, 512 << 10, 1 << 20, 4 << 20)
                            .flatMap(step -> IntStream.of(step - 1, step, step + 1, step + 3)))
            .boxed()
            .toList();

    private static final int MOST_BYTES = (4 << 20) + 3;
    private static final long[] OFFSETS = {0, 1, 2, 7, 8, 64, 4095};
    private static final long MOST_OFFSET = 4095;

    private static final int GUARD_BYTES = 64;
    private static final byte DEVICE_CANARY = (byte) 0xa5;
    private static final byte HOST_CANARY = 0x5a;

    private static final long PAGE_BYTES = 4096;
    private static final int SOURCE_PAGES = 64; // where a source may begin, so that two trips move other bytes

    private static final int MOST_FAILURES = 20; // that are kept

    private final CopyStream stream;
    private final long address;
    private final MemorySegment source;
    private final MemorySegment target;
    private final MemorySegment edges;

    private final Copy fill = new Copy();
    private final Copy in = new Copy();
    private final Copy out = new Copy();
    private final Copy before = new Copy();
    private final Copy behind = new Copy();
    private final CRC32C crc = new CRC32C();

    private final List<String> failures = new ArrayList<>();
    private int roundTrips;
    private int failed;

    /**
     * Over memory whose content it overwrites.
     *
     * @param address of at least {@link #neededBytes} on the device
     * @param host as many bytes, on a page boundary
     */
    CopySweep(CopyStream stream, long address, MemorySegment host) {
        long sourceBytes = SOURCE_PAGES * PAGE_BYTES + roundedBytes();
        this.stream = stream;
        this.address = address;
        this.source = host.asSlice(0, sourceBytes);
        this.target = host.asSlice(sourceBytes, roundedBytes());
        this.edges = host.asSlice(sourceBytes + roundedBytes(), 2 * GUARD_BYTES);
        Random random = new Random(15);
        for (long at = 0; at < sourceBytes; at += Long.BYTES) {
            source.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    /** The longest trip at its largest offset, in whole pages. */
    private static long roundedBytes() {
        long bytes = MOST_BYTES + MOST_OFFSET + 2 * GUARD_BYTES;
        return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }

    static long neededBytes() {
        return SOURCE_PAGES * PAGE_BYTES + 2 * roundedBytes() + 2 * GUARD_BYTES;
    }

    /** Each length at each pair of a device's and a source's offset. */
    void run(List<Integer> lengths) {
        for (int length : lengths) {
            for (int i = 0; i < OFFSETS.length; i++) {
                for (int j = 0; j < OFFSETS.length; j++) {
                    trip(length, OFFSETS[i], OFFSETS[j], OFFSETS[(i + j) % OFFSETS.length]);
                }
            }
        }
    }

    private void trip(int length, long onDevice, long inSource, long inTarget) {
        roundTrips++;
        long page = roundTrips % SOURCE_PAGES * PAGE_BYTES;
        MemorySegment sent = source.asSlice(page + inSource, length);
        MemorySegment received = target.asSlice(inTarget, length + 2 * GUARD_BYTES);
        received.fill(HOST_CANARY);
        edges.fill(HOST_CANARY);
        move(address + onDevice, sent, received.asSlice(GUARD_BYTES, length));
        String problem = problem(sent, received);
        if (!problem.isEmpty()) {
            failed++;
            if (failures.size() < MOST_FAILURES) {
                failures.add("%d bytes, offsets %d in the source, %d on the device, %d in the target: %s"
                        .formatted(length, inSource, onDevice, inTarget, problem));
            }
        }
    }

    /** All at once: the order of the stream is part of what is tested. */
    private void move(long there, MemorySegment sent, MemorySegment received) {
        long length = sent.byteSize();
        stream.fill(there, length + 2 * GUARD_BYTES, DEVICE_CANARY, fill);
        stream.copyIn(there + GUARD_BYTES, sent, in);
        stream.copyOut(there + GUARD_BYTES, received, out);
        stream.copyOut(there, edges.asSlice(0, GUARD_BYTES), before);
        stream.copyOut(there + GUARD_BYTES + length, edges.asSlice(GUARD_BYTES, GUARD_BYTES), behind);
        for (Copy copy : List.of(fill, in, out, before, behind)) {
            EngineCopies.await(copy);
        }
    }

    /** What is wrong; empty if nothing is. */
    private String problem(MemorySegment sent, MemorySegment received) {
        long length = sent.byteSize();
        if (crc(sent) != crc(received.asSlice(GUARD_BYTES, length))) {
            long first = sent.mismatch(received.asSlice(GUARD_BYTES, length));
            return "another CRC, from byte " + first + " on";
        }
        if (!isAll(edges, DEVICE_CANARY)) {
            return "bytes around the range of the device have changed";
        }
        boolean isWhole = isAll(received.asSlice(0, GUARD_BYTES), HOST_CANARY)
                && isAll(received.asSlice(GUARD_BYTES + length), HOST_CANARY);
        return isWhole ? "" : "bytes around the range of the host have changed";
    }

    private long crc(MemorySegment bytes) {
        crc.reset();
        crc.update(bytes.asByteBuffer());
        return crc.getValue();
    }

    private static boolean isAll(MemorySegment bytes, byte value) {
        return LongStream.range(0, bytes.byteSize()).allMatch(at -> bytes.get(ValueLayout.JAVA_BYTE, at) == value);
    }

    int roundTrips() {
        return roundTrips;
    }

    int failed() {
        return failed;
    }

    /** The first failures, in words. */
    List<String> failures() {
        return List.copyOf(failures);
    }
}
