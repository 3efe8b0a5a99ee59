package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.udma.transport.ConnectionConfig.Kind;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The range of each parameter: its ends are accepted, and what lies beyond is refused by name. */
class ConnectionConfigTest {
    private static final int MAX_24 = 0xFF_FFFF;

    record Range(String name, int least, int most, IntFunction<ConnectionConfig.Builder> with) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static ConnectionConfig.Builder rc() {
        return ConnectionConfig.builder(Kind.RELIABLE_CONNECTED, 1, 2);
    }

    static Stream<Range> ranges() {
        return Stream.of(
                new Range("number", 0, MAX_24, n -> ConnectionConfig.builder(Kind.SHARED, n, 2)),
                new Range("peer's number", 0, MAX_24, n -> ConnectionConfig.builder(Kind.SHARED, 1, n)),
                new Range("first PSN to send", 0, MAX_24, n -> rc().psns(n, 0)),
                new Range("first PSN to receive", 0, MAX_24, n -> rc().psns(0, n)),
                new Range("MTU", 256, 61_440, n -> rc().mtuBytes(n)),
                new Range("MTU", 256, 4096, n -> rc().mtuBytes(n).foreignPeer()),
                new Range("retries", 0, Integer.MAX_VALUE - 1, n -> rc().timeout(1, n)),
                new Range("RNR retries", 0, 7, n -> rc().rnrRetries(n)),
                new Range("READs out", 0, 128, n -> rc().reads(n, 1)),
                new Range("READs in", 0, 128, n -> rc().reads(1, n)),
                new Range("window", 1, 2048, n -> rc().windowPackets(n)),
                new Range("budget of READs", 1024, Integer.MAX_VALUE, n -> rc().readBudgetBytes(n)));
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void theEndsOfARangeAreAcceptedAndWhatLiesBeyondIsRefused(Range range) {
        assertThat(range.with.apply(range.least).build()).isNotNull();
        assertThat(range.with.apply(range.most).build()).isNotNull();
        for (int beyond : new int[] {range.least - 1, range.most + 1}) { // may wrap, and is beyond all the same
            assertThatThrownBy(() -> range.with.apply(beyond).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(range.name + " " + beyond);
        }
    }

    @Test
    void anMtuIsAPathMtu() {
        assertThatThrownBy(() -> rc().mtuBytes(1000).build()).hasMessageContaining("MTU 1000 is no path MTU: 256, 512");
        assertThatThrownBy(() -> rc().mtuBytes(8192).foreignPeer().build())
                .hasMessageContaining("MTU 8192 is no path MTU of RoCE: a power of two from 256 to 4096");
    }

    /** A window has the same bytes with long packets: the buffer of the peer does not grow with them. */
    @ParameterizedTest
    @CsvSource({"256, 1, 16, 1024", "4096, 1, 16, 1024", "8192, 2, 8, 512", "32768, 8, 2, 128", "61440, 15, 2, 68"})
    void longPacketsMakeShorterWindows(int mtuBytes, int packetsPerMtu, int initial, int longPackets) {
        ConnectionConfig config = rc().mtuBytes(mtuBytes).build();

        assertThat(config.packetsPerMtu()).isEqualTo(packetsPerMtu);
        assertThat(config.initialWindowPackets()).isEqualTo(initial);
        assertThat(config.windowOfLongPackets()).isEqualTo(longPackets);
        assertThat(config.windowBytes()).isEqualTo(1024L * Math.min(mtuBytes, 4096));
    }

    @Test
    void aSharedConnectionIsBetweenUrma4jPeers() {
        assertThatThrownBy(() -> ConnectionConfig.builder(Kind.SHARED, 1, 2)
                        .foreignPeer()
                        .build())
                .hasMessageContaining("needs urma4j at both ends");
        assertThat(rc().foreignPeer().build().windowPackets()).isEqualTo(128);
    }
}
