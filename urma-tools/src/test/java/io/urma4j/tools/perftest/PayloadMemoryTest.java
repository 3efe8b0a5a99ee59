package io.urma4j.tools.perftest;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.SegmentConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads of the host and of a device, by the same calls. */
class PayloadMemoryTest {
    private static final long SIZE = 1 << 20;
    private static final long SEED = 7;

    @TempDir
    Path folder;

    private Urma urma;
    private UrmaContext context;

    @BeforeEach
    void open() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder).withSetting("urma.npu", "1"));
        context = urma.device("shm0").openContext();
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private PayloadMemory payloads(String memory) {
        var config = SegmentConfig.of(Access.READ_WRITE);
        if (memory.equals("host")) {
            return new PayloadMemory.OnHost(context.register(context.allocate(SIZE), config));
        }
        DeviceMemory device = urma.peerMemory().allocate(memory, 0, SIZE);
        return new PayloadMemory.OnDevice(
                context.register(device, config), device, context.allocate(SIZE).segment());
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "npu"})
    void whatIsFilledIsSeenAndClearedAgain(String memory) {
        PayloadMemory payloads = payloads(memory);
        payloads.clear(0, SIZE);

        payloads.fill(4096, 1001, SEED);

        assertThat(Pattern.mismatch(payloads.look(4096, 1001), SEED)).isEqualTo(-1);
        assertThat(payloads.look(4096, 1001).byteSize()).isEqualTo(1001);
        assertThat(payloads.look(4095, 1).get(JAVA_BYTE, 0)).isZero();
        assertThat(payloads.look(4096 + 1001, 1).get(JAVA_BYTE, 0)).isZero();

        payloads.clear(4096 + 496, 1);

        assertThat(payloads.look(4096 + 496, 1).get(JAVA_BYTE, 0)).isZero();
        assertThat(Pattern.mismatch(payloads.look(4096, 496), SEED)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "npu"})
    void wrongByteIsFound(String memory) {
        PayloadMemory payloads = payloads(memory);
        payloads.fill(0, 4096, SEED);

        payloads.fill(2048, 8, SEED + 1);

        assertThat(Pattern.mismatch(payloads.look(0, 4096), SEED)).isEqualTo(2048);
    }
}
