package io.urma4j.bench.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.bench.ChildProcess;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Bytes that are written to the device memory of another process arrive there, and come back. */
final class RoundTrip {
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private RoundTrip() {}

    /** From host memory, over the whole footprint. */
    static void check(RemoteCopies copies, ChildProcess home, Report report) throws IOException {
        MemorySegment local = copies.local().memory().asSlice(0, Copies.FOOTPRINT_BYTES);
        int length = Math.toIntExact(Copies.FOOTPRINT_BYTES);
        fill(local);
        long written = DeviceHome.checksum(local);
        copies.in(0, length);
        if (DeviceHome.checksum(home, length) != written) {
            report.failed("what was written is not what the home has");
        }
        local.fill((byte) 0);
        copies.out(0, length);
        for (long at = 0; at < length; at += Long.BYTES) {
            if (local.get(JAVA_LONG, at) != at * FACTOR) {
                report.failed("byte " + at + " came back wrong");
                return;
            }
        }
        report.line("%d MiB written to the home's device and read back: every byte is right".formatted(length >> 20));
    }

    /** Fills memory with values that differ from place to place. */
    static void fill(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            memory.set(JAVA_LONG, at, at * FACTOR);
        }
    }
}
