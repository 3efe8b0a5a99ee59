package io.urma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoomTest {
    private static final Footprint BASE = new Footprint(100, 0, 10, 20);

    private final Room room = new Room(1_010, 2_020, 10_100, 50_000);

    @Test
    void whatFitsIsNotRefused() {
        assertThat(room.refusal(100, BASE, new double[] {1, 1, 1, 2})).isEmpty();
    }

    @Test
    void aFewFitAnywhere() {
        assertThat(room.refusal(10, BASE, new double[] {1e9, 1e9, 1e9, 1e9})).isEmpty();
    }

    @Test
    void aLimitIsNotUsedToTheLastBit() {
        assertThat(room.refusal(950, BASE, new double[] {0, 0, 1, 0}))
                .contains("950 would need 950 descriptors (ulimit -n), and there are 1,000.");
    }

    @Test
    void eachLimitIsNamed() {
        assertThat(room.refusal(1_000, BASE, new double[] {11, 0, 0, 0}).orElseThrow())
                .contains("bytes of heap, and there are 10,000");
        assertThat(room.refusal(1_000, BASE, new double[] {0, 50, 0, 0}).orElseThrow())
                .contains("bytes of memory, and there are 50,000");
        assertThat(room.refusal(1_000, BASE, new double[] {0, 0, 0, 2}).orElseThrow())
                .contains("mappings (vm.max_map_count), and there are 2,000");
    }

    @Test
    void thisMachineHasRoomForSomething() {
        Room here = Room.now();

        assertThat(here.descriptors()).isPositive();
        assertThat(here.mappings()).isGreaterThan(1_000);
        assertThat(here.memoryBytes()).isPositive();
    }

    @Test
    void aFootprintIsThatOfThisProcess() {
        Footprint now = Footprint.now();

        assertThat(now.heapBytes()).isPositive();
        assertThat(now.descriptors()).isPositive();
        assertThat(now.perThing(new Footprint(now.heapBytes() - 100, 0, now.descriptors() - 20, 0), 10))
                .startsWith(10);
    }
}
