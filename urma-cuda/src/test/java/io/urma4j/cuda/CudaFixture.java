package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
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

/** The client on a fake driver, with the library's memory on it; looks at its end whether everything was given back. */
final class CudaFixture implements AutoCloseable {
    /** So that a driver of this machine brings no second client. */
    static final UrmaOptions WITHOUT_DRIVER =
            UrmaOptions.DEFAULT.withSetting(CudaLibrary.SETTING, "/nonexistent/libcuda.so.1");

    final FakeCudaDriver driver;
    final CudaClient client;
    final PeerMemory memory;
    final Arena arena = Arena.ofShared();
    private boolean lost;

    CudaFixture() {
        this(1);
    }

    CudaFixture(int devices) {
        driver = new FakeCudaDriver(devices);
        client = new CudaClient(driver);
        memory = PeerMemory.open(WITHOUT_DRIVER);
        memory.add(client);
    }

    DeviceMemory allocate(long lengthBytes) {
        return memory.allocate(CudaClient.NAME, 0, lengthBytes);
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

    /** The device fails with its next call. Its memory is not given back. */
    void lose(int ordinal, int code) {
        lost = true;
        driver.lose(ordinal, code);
    }

    /** Ends what hangs, and does not look at what the driver still has. */
    void abandon() {
        lose(0, CudaCode.ILLEGAL_ADDRESS);
        driver.letGo();
    }

    /** A region that runs, and the events of its keys. */
    static Active active(DeviceMemory memory) {
        PeerRegion region = memory.pin(true, List.of());
        Active active = new Active(region, Collections.synchronizedList(new ArrayList<>()));
        try {
            region.activate(active);
        } catch (UrmaException e) {
            region.close(); // it was invalidated before
            throw e;
        }
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

    @Override
    public void close() {
        PeerCounters counters = memory.counters().get(CudaClient.NAME);
        memory.close();
        client.close();
        driver.end();
        arena.close();
        assertThat(driver.violations()).isEmpty();
        if (!lost) {
            assertThat(driver.leftovers()).isEmpty();
        }
        if (counters != null) {
            assertThat(counters.registeredPages()).isEqualTo(counters.deregisteredPages());
            assertThat(counters.allocated()).isEqualTo(counters.deallocated());
        }
    }
}
