package io.urma4j.tools.perftest;

import static io.urma4j.tools.perftest.ClashesTest.settings;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LayoutTest {
    private static final long PAGE = 1 << 16;

    @Test
    void payloadsOfAPageAndMoreBeginAtMultiplesOfIt() {
        var layout = new Layout(settings("write_bw --size=70000 --jettys=3 --page_size=" + PAGE));

        for (int lane = 0; lane < 3; lane++) {
            assertThat(layout.outgoing(lane) % PAGE).isZero();
            assertThat(layout.incoming(lane) % PAGE).isZero();
        }
        assertThat(layout.strideBytes()).isEqualTo(2 * PAGE);
    }

    @Test
    void shorterPayloadsLieCloseTogether() {
        var layout = new Layout(settings("write_bw --size=100 --jettys=3 --page_size=" + PAGE));

        assertThat(layout.outgoing(0) % PAGE).isZero();
        assertThat(layout.strideBytes()).isEqualTo(128);
    }

    @Test
    void eachJettyOfEachPairHasItsPlace() {
        var layout = new Layout(settings("write_bw --size=64 --jettys=2 --pair_num=3"));

        assertThat(layout.outgoing(5) + layout.strideBytes()).isLessThanOrEqualTo(layout.incoming(0));
        assertThat(layout.inbox(5)).isLessThan(layout.outgoing(0));
    }

    @Test
    void wordsAreBeforeAllPayloads() {
        var layout = new Layout(settings("send_bw --size=64 --jettys=7"));

        assertThat(layout.result(6) + Long.BYTES).isLessThanOrEqualTo(layout.wordsBytes());
        assertThat(layout.outgoing(0)).isEqualTo(layout.wordsBytes());
        assertThat(layout.incoming(0)).isGreaterThan(layout.wordsBytes());
        assertThat(layout.buffer(0)).isGreaterThan(layout.wordsBytes());
    }

    @Test
    void jfrsOfAllPairsHaveBuffers() {
        var own = new Layout(settings("send_bw --size=64 --jettys=2 --pair_num=3 --jfr_depth=16"));
        var shared = new Layout(settings("send_bw --size=64 --jettys=2 --pair_num=3 --jfr_depth=16 --share_jfr=true"));

        assertThat(own.bufferCount()).isEqualTo(2 * 3 * 16);
        assertThat(shared.bufferCount()).isEqualTo(3 * 16);
    }
}
