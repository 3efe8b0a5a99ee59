package io.urma4j.bench.gpu;

import io.urma4j.Urma;
import io.urma4j.cuda.CudaClient;
import io.urma4j.cuda.CudaDriver;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The engine that {@code urma.peerMemory()} brings moves each byte and no other, about as fast as the driver's own calls. */
final class CopyPart {
    private static final long FOOTPRINT_BYTES = Copies.FOOTPRINT_BYTES;
    private static final long PAGE_BYTES = 4096;

    /** Nothing is done with the pin: it brings the engine. */
    private static final RegionUser WITHOUT_KEYS = new RegionUser() {
        @Override
        public void revoke(InvalidationReason reason) {}

        @Override
        public void invalidated(InvalidationReason reason) {}
    };

    private CopyPart() {}

    static void run(PartRun run) throws Exception {
        CudaDriver driver = run.driver();
        try (Urma urma = Urma.open(run.options());
                DeviceMemory memory = urma.peerMemory().allocate(CudaClient.NAME, PartRun.ORDINAL, FOOTPRINT_BYTES);
                PeerRegion region = memory.pin(true, List.of())) {
            region.activate(WITHOUT_KEYS);
            run(driver, region.engine(), memory.address(), run.report());
        }
    }

    private static void run(CudaDriver driver, DmaEngine engine, long address, Report report) throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(FOOTPRINT_BYTES, PAGE_BYTES).fill((byte) 1);
            sweep("pageable", engine, address, host, report);
            try (DmaEngine.Pinning _ = engine.pinHost(host);
                    CopyStream stream = engine.openStream()) {
                sweep("registered", engine, address, host, report);
                try (HandCopies byHand = HandCopies.open(driver, PartRun.ORDINAL, address, host.address())) {
                    compare(new EngineCopies(stream, address, host), byHand, report);
                }
            }
        }
    }

    private static void sweep(String kind, DmaEngine engine, long address, MemorySegment host, Report report) {
        try (CopyStream stream = engine.openStream()) {
            CopySweep sweep = new CopySweep(stream, address, host);
            sweep.run(CopySweep.LENGTHS);
            sweep.failures().forEach(failure -> report.failed(kind + " host memory, " + failure));
            report.line("%s host memory: %d round trips of %d lengths from 1 byte to 4 MiB + 3, %d failed"
                    .formatted(kind, sweep.roundTrips(), CopySweep.LENGTHS.size(), sweep.failed()));
        }
    }

    private static void compare(EngineCopies engine, HandCopies byHand, Report report) throws IOException {
        Comparison.report(CopyRow.ALL.stream().map(row -> row.measure(engine, byHand)), report);
    }
}
