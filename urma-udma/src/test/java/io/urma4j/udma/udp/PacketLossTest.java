package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketLossTest {
    private static final int PACKETS = 100_000;

    private static List<Integer> lost(PacketLoss loss) {
        PacketLoss.Draws draws = loss.draws();
        return IntStream.range(0, PACKETS)
                .filter(i -> draws.takesNext())
                .boxed()
                .toList();
    }

    @Test
    void theShareOfAllPacketsIsLost() {
        assertThat(lost(new PacketLoss(0.01, 7))).hasSizeBetween(900, 1100);
        assertThat(lost(new PacketLoss(0, 7))).isEmpty();
    }

    @Test
    void theSeedDecidesWhichOnes() {
        assertThat(lost(new PacketLoss(0.01, 7)))
                .isEqualTo(lost(new PacketLoss(0.01, 7)))
                .isNotEqualTo(lost(new PacketLoss(0.01, 8)));
    }

    @Test
    void theSettingIsAShareAndPerhapsASeed() {
        assertThat(PacketLoss.parse(null)).isNull();
        assertThat(PacketLoss.parse("0.01")).isEqualTo(new PacketLoss(0.01, 1));
        assertThat(PacketLoss.parse("0.5:-3")).isEqualTo(new PacketLoss(0.5, -3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "-0.1", "NaN", "x", "0.1:", "0.1:x", ":1"})
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PacketLoss.parse(text))
                .withMessageContaining("loss");
    }

    @Test
    void aPortLosesWhatItShallAndTellsSo() {
        try (UdpPort from = PortPair.port("127.0.71.1", null);
                PortPair pair = new PortPair(
                        from,
                        UdpPort.open(PortOptions.of(InetAddress.ofLiteral("127.0.71.2"))
                                .withLoss(new PacketLoss(0.25, 1))))) {
            for (int i = 0; i < 100; i++) {
                pair.put(i, 64);
            }
            pair.sender.flush();
            PacketLoss.Draws draws = new PacketLoss(0.25, 1).draws();
            int[] kept = IntStream.range(0, 100).filter(i -> !draws.takesNext()).toArray();

            assertThat(pair.receive(kept.length))
                    .extracting(PortPair.Received::content)
                    .containsExactly(IntStream.of(kept).boxed().toArray(Integer[]::new));
            assertThat(pair.receiver.counters().dropped()).isEqualTo(100 - kept.length);
            assertThat(pair.receiver.lossNote()).contains("25.0 %");
        }
    }
}
