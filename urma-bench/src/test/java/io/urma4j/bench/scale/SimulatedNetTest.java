package io.urma4j.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulatedNetTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 100})
    void whatTheHubWritesArrivesAtEachPeer(int peers) {
        var net = new SimulatedNet();
        net.addPeers(peers);
        net.connectPeers();
        net.connectHub();
        net.value(0x0123_4567_89AB_CDEFL);

        for (int batch = 0; batch < 2 + peers / SimulatedNet.BATCH; batch++) {
            net.batch();
        }

        for (int peer = 0; peer < peers; peer++) {
            assertThat(net.valueAt(peer)).as("peer %d", peer).isEqualTo(0x0123_4567_89AB_CDEFL);
        }
        assertThat(net.hubNanos()).isPositive();
        assertThat(net.peerNanos()).isPositive();
    }
}
