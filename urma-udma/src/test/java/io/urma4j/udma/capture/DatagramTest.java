package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DatagramTest {
    private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "sample-rxe.pcap");
    private static final int SOURCE_PORT = 14 + 20;
    private static final int DESTINATION_PORT = SOURCE_PORT + 2;

    private static Frame firstWith(int sourcePort, int destinationPort) throws IOException {
        try (PcapReader reader = PcapReader.open(GOLDEN)) {
            Frame first = reader.next();
            ByteBuffer bytes = ByteBuffer.allocate(first.bytes().remaining());
            bytes.put(first.bytes().duplicate()).flip();
            bytes.putShort(SOURCE_PORT, (short) sourcePort).putShort(DESTINATION_PORT, (short) destinationPort);
            return new Frame(first.number(), first.timeNanos(), bytes, first.wireBytes());
        }
    }

    @Test
    void whatComesFromThePortOfRoceIsOfItAsWhatGoesThere() throws IOException {
        assertThat(Datagram.of(firstWith(50_000, 4791), Set.of(4791))).isNotNull();
        assertThat(Datagram.of(firstWith(4791, 50_000), Set.of(4791))).isNotNull();
        assertThat(Datagram.of(firstWith(50_000, 50_001), Set.of(4791))).isNull();
    }

    @Test
    void otherPortsAreOfItWhenTheyAreNamed() throws IOException {
        assertThat(Datagram.of(firstWith(50_000, 50_001), Set.of(4791, 50_001))).isNotNull();
        assertThat(Datagram.of(firstWith(50_001, 50_000), Set.of(4791, 50_001))).isNotNull();
        assertThat(Datagram.of(firstWith(50_000, 50_002), Set.of(4791, 50_001))).isNull();
    }
}
