/** Simulated NPUs, for tests of programs that register device memory. A program that uses real devices does not need it. */
module io.urma4j.npu {
    requires transitive io.urma4j.core;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    exports io.urma4j.npu;

    provides io.urma4j.peer.PeerMemoryService with
            io.urma4j.npu.NpuService;
}
