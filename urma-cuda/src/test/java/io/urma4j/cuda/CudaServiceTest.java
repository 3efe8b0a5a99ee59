package io.urma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.peer.PeerMemory;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A machine without a driver: the reason, and nothing else. */
class CudaServiceTest {
    @Test
    void withoutADriverTheClientIsAbsentWithItsReason() {
        try (PeerMemory memory = PeerMemory.open(CudaFixture.WITHOUT_DRIVER)) {
            assertThat(memory.clients()).isEmpty();
            assertThat(memory.absentClients().get("cuda"))
                    .hasMessage("CUDA driver: urma.cuda.library names /nonexistent/libcuda.so.1, which is no library"
                            + " (EINVAL)");
            assertThatThrownBy(() -> memory.allocate("cuda", 0, 1))
                    .hasMessageContaining("client cuda does not work here")
                    .hasMessageContaining("/nonexistent/libcuda.so.1");
        }
    }

    @Test
    void allPlacesAreNamedIfThereIsNoLibrary() {
        assertThatThrownBy(() -> CudaLibrary.open(Optional.empty(), List.of("/none/libcuda.so.1", "/no/libcuda.so.1")))
                .hasMessage("CUDA driver: not installed: tried /none/libcuda.so.1, /no/libcuda.so.1;"
                        + " the setting urma.cuda.library can name another place (EINVAL)");
    }

    @Test
    void theStubForLinkersIsNeverOpenedByItsBareName() {
        assertThat(CudaLibrary.PLACES).allMatch(place -> place.endsWith("libcuda.so.1"));
    }

    @Test
    void aClientWithoutDevicesOwnsNothing() {
        FakeCudaDriver none = new FakeCudaDriver(0);
        try (PeerMemory memory = PeerMemory.open(CudaFixture.WITHOUT_DRIVER)) {
            memory.add(new CudaClient(none));
            assertThatThrownBy(() -> memory.wrap(PeerMemory.AUTO, -1, 4096, 8))
                    .hasMessageContaining("no client owns the whole range");
            assertThatThrownBy(() -> memory.allocate("cuda", 0, 8)).hasMessageContaining("has no device 0; it has []");
        }
    }
}
