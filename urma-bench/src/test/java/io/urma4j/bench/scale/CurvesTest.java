package io.urma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Each curve with the shortest of paces: whether it measures, and leaves nothing. */
class CurvesTest {
    private final Scale.Run run =
            new Scale.Run(new Scale.Extent(10, 10, 2, 10, 10), new Pace(Duration.ofMillis(1), 10));

    @Test
    void segmentsOnSharedMemory() {
        Curve own = new SegmentsCurve(run, "shm0", false).measure();
        Curve common = new SegmentsCurve(run, "shm0", true).measure();

        assertThat(own.name()).isEqualTo("segments-shm");
        assertThat(own.lastCount()).isEqualTo(10);
        assertThat(own.last("WRITE 8 B ns")).isPositive();
        assertThat(own.last("descriptors")).isPositive();
        assertThat(common.name()).isEqualTo("segments-shm-one-memory");
        assertThat(common.last("register ns")).isPositive();
    }

    @Test
    void jettiesOnSharedMemory() {
        Curve curve = new JettiesCurve(run, "shm0").measure();

        assertThat(curve.name()).isEqualTo("jetties-shm");
        assertThat(curve.lastCount()).isEqualTo(10);
        assertThat(curve.last("post+poll ns")).isPositive();
    }

    @Test
    void jettiesOnTheNetworkCard() {
        Curve curve = new JettiesCurve(run, "udma0").measure();

        assertThat(curve.name()).isEqualTo("jetties-udma");
        assertThat(curve.last("create ns")).isPositive();
    }

    @Test
    void peersAreProcessesThatEndWithTheCurve() throws Exception {
        Curve curve = new PeersCurve(run).measure();

        assertThat(curve.lastCount()).isEqualTo(2);
        assertThat(curve.last("SEND 8 B ns")).isPositive();
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void connectionsOverRingsAndOverTcp() throws Exception {
        Curve rings = new ConnectionsCurve(run, true, 20).measure();
        Curve tcp = new ConnectionsCurve(run, false, 0).measure();

        assertThat(rings.name()).isEqualTo("connections-rings-20");
        assertThat(rings.lastCount()).isEqualTo(10);
        assertThat(rings.last("64 B ns")).isPositive();
        assertThat(tcp.name()).isEqualTo("connections-tcp");
        assertThat(tcp.last("connect µs")).isPositive();
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void simulatedPeers() {
        Curve curve = new SimulatedCurve(run).measure();

        assertThat(curve.lastCount()).isEqualTo(10);
        assertThat(curve.last(SimulatedCurve.HUB)).isPositive();
        assertThat(curve.last(SimulatedCurve.USED)).isPositive();
    }
}
