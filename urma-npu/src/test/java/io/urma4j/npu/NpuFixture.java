package io.urma4j.npu;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerCounters;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Simulated NPUs with the library's memory on them; looks at its end whether everything was given back. */
final class NpuFixture implements AutoCloseable {
    final SimulatedNpus npus;
    final PeerMemory memory;
    final Arena arena = Arena.ofShared();

    NpuFixture(NpuConfig config) {
        npus = new SimulatedNpus(config);
        memory = PeerMemory.open(UrmaOptions.DEFAULT.withSetting(NpuService.SETTING, ""));
        memory.add(npus);
    }

    DeviceMemory allocate(long lengthBytes) {
        return memory.allocate(SimulatedNpus.NAME, 0, lengthBytes);
    }

    MemorySegment pattern(long lengthBytes, long seed) {
        MemorySegment bytes = arena.allocate(lengthBytes, 64);
        byte[] random = new byte[(int) lengthBytes];
        new Random(seed).nextBytes(random);
        MemorySegment.copy(MemorySegment.ofArray(random), 0, bytes, 0, lengthBytes);
        return bytes;
    }

    MemorySegment read(DeviceMemory from, long offset, long lengthBytes) {
        MemorySegment bytes = arena.allocate(lengthBytes);
        from.copyTo(offset, bytes);
        return bytes;
    }

    static void assertSame(MemorySegment actual, MemorySegment expected) {
        assertThat(actual.mismatch(expected)).as("first byte that differs").isEqualTo(-1);
    }

    /** A region that runs, and the events of its keys. */
    static Active active(DeviceMemory memory, DmaDevice... devices) {
        PeerRegion region = memory.pin(true, List.of(devices));
        Active active = new Active(region, Collections.synchronizedList(new ArrayList<>()));
        region.activate(active);
        return active;
    }

    record Active(PeerRegion region, List<String> events) implements RegionUser {
        @Override
        public void revoke(InvalidationReason reason) {
            events.add("revoke " + reason);
        }

        @Override
        public void invalidated(InvalidationReason reason) {
            events.add("invalidated " + reason);
        }
    }

    PeerCounters counters() {
        PeerCounters counters = memory.counters().get(SimulatedNpus.NAME);
        assertThat(counters).isNotNull();
        return counters;
    }

    @Override
    public void close() {
        PeerCounters counters = counters();
        memory.close();
        arena.close();
        assertThat(npus.violations()).isEmpty();
        assertThat(npus.iommu().mappings()).isZero();
        assertThat(npus.pinnedBytes(0)).isZero();
        assertThat(counters.registeredPages()).isEqualTo(counters.deregisteredPages());
        assertThat(counters.allocated()).isEqualTo(counters.deallocated());
    }
}
