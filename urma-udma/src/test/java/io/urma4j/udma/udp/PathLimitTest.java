package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.UdpSocket;
import io.urma4j.udma.transport.Route;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathLimitTest {
    private static final InetAddress NOT_OURS = InetAddress.ofLiteral("203.0.113.7");

    private int kernelBytes = 1500;
    private int asked;
    private long now = Long.MAX_VALUE - 5;

    private PathLimit limit(boolean ipv4, int mtuBytes) {
        return new PathLimit(
                () -> {
                    asked++;
                    return kernelBytes > 0 ? kernelBytes : UdpSocket.routeMtuBytes(NOT_OURS, NOT_OURS);
                },
                () -> now,
                ipv4,
                mtuBytes);
    }

    @Test
    void theKernelIsAskedWhenItRefusesAPacket() {
        PathLimit limit = limit(true, 4096);
        assertThat(limit.bytes()).isEqualTo(Route.NOT_NARROWED);
        assertThat(asked).isZero();

        assertThat(limit.narrow(4200)).isTrue();

        assertThat(limit.bytes()).isEqualTo(1500 - 28);
        assertThat(limit.toString()).isEqualTo("path narrowed to packets of 1472 bytes");
        assertThat(limit.narrow(2000)).as("it was begun before").isTrue();
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void theKernelIsAskedOnceASecondUntilThePathIsAsBefore() {
        PathLimit limit = limit(true, 4096);
        limit.narrow(4200);
        now += 999_999_999;
        assertThat(limit.bytes()).isEqualTo(1472);
        assertThat(asked).isEqualTo(1);

        kernelBytes = 3000;
        now++;
        assertThat(limit.bytes()).isEqualTo(2972);
        kernelBytes = 9000;
        now += 1_000_000_000;
        assertThat(limit.bytes()).isEqualTo(Route.NOT_NARROWED);

        now += 1_000_000_000;
        assertThat(limit.bytes()).isEqualTo(Route.NOT_NARROWED);
        assertThat(asked).isEqualTo(3);
    }

    @Test
    void aPathMayShrinkOnceMore() {
        PathLimit limit = limit(false, 4096);
        limit.narrow(4200);
        assertThat(limit.bytes()).isEqualTo(1500 - 48);

        kernelBytes = 1280;

        assertThat(limit.narrow(1452)).isTrue();
        assertThat(limit.bytes()).isEqualTo(1280 - 48);
    }

    /** What the kernel refuses for another reason would never leave. */
    @Test
    void aKernelThatKnowsNoLimitDoesNotNarrow() {
        kernelBytes = 65_536;
        PathLimit limit = limit(true, 61_440);

        assertThat(limit.narrow(61_500)).isFalse();
        assertThat(limit.bytes()).isEqualTo(Route.NOT_NARROWED);
        kernelBytes = 0;
        assertThat(limit.narrow(61_500)).isFalse();
        assertThat(limit.bytes()).isEqualTo(Route.NOT_NARROWED);
        assertThat(asked).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"307, 0", "308, 280", "1099, 1071", "1100, 0"})
    void noFragmentIsTooShortAndNonePathTooWide(int mtuBytes, int bytes) {
        kernelBytes = mtuBytes;
        PathLimit limit = limit(true, 1024);

        assertThat(limit.narrow(1092)).isEqualTo(bytes != 0);
        assertThat(limit.bytes()).isEqualTo(bytes);
    }

    @Test
    void aPeerWithoutFragmentsHasNoLimit() {
        assertThat(PathLimit.NONE.narrow(5000)).isFalse();
        assertThat(PathLimit.NONE.bytes()).isEqualTo(Route.NOT_NARROWED);
    }
}
