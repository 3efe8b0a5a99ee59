package io.urma4j.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GuardedAllocationsTest {
    private static final DeviceIdentity IDENTITY = new DeviceIdentity(0, 1);
    private static final DeviceRange RANGE = new DeviceRange(0, 4096, 4096);

    private final GuardedAllocations allocations =
            new GuardedAllocations("npu", Optional.of(new Handles()), Runnable::run);

    /** Shares whatever it is asked for. */
    private static final class Handles implements PeerSharing {
        @Override
        public Shared share(int ordinal, long address) {
            return new Shared() {
                @Override
                public byte[] handle() {
                    return new byte[1];
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public Opened open(byte[] handle, long lengthBytes) {
            throw new AssertionError("is not asked for");
        }
    }

    @Test
    void anAllocationWhoseFreeIsRefusedCanBeSharedAgain() {
        allocations.allocated(IDENTITY, RANGE);
        PeerShare first = allocations.share(IDENTITY, RANGE).orElseThrow();

        assertThatThrownBy(() -> allocations.free(IDENTITY, () -> {
                    throw new UrmaException(UrmaStatus.EAGAIN, "npu", "pages are pinned");
                }))
                .hasMessageContaining("pages are pinned");
        PeerShare second = allocations.share(IDENTITY, RANGE).orElseThrow();
        assertThat(first.lend()).as("of the share that has ended").isFalse();
        assertThat(second.lend()).isTrue();

        second.giveBack();
        allocations.free(IDENTITY, () -> {});
        assertThat(allocations.share(IDENTITY, RANGE)).isEmpty();
    }
}
