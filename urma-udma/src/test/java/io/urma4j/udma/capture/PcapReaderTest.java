package io.urma4j.udma.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapReaderTest {
    @TempDir
    Path folder;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("f.pcap"), bytes);
    }

    private Path file(ByteBuffer bytes) throws IOException {
        byte[] all = new byte[bytes.capacity()];
        bytes.get(0, all);
        return file(all);
    }

    private static ByteBuffer capture(ByteOrder order, int magic, int capturedBytes, int frameBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(24 + 16 + frameBytes).order(order);
        bytes.putInt(magic)
                .putInt(0x0002_0004)
                .putInt(0)
                .putInt(0)
                .putInt(65535)
                .putInt(1);
        return bytes.putInt(7).putInt(9).putInt(capturedBytes).putInt(capturedBytes);
    }

    @Test
    void bothByteOrdersAndBothFractionsAreRead() throws IOException {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            try (PcapReader micros = PcapReader.open(file(capture(order, 0xA1B2C3D4, 60, 60)))) {
                Frame frame = Objects.requireNonNull(micros.next());
                assertThat(frame.timeNanos()).isEqualTo(7_000_009_000L);
                assertThat(frame.bytes().remaining()).isEqualTo(60);
                assertThat(micros.next()).isNull();
            }
            try (PcapReader nanos = PcapReader.open(file(capture(order, 0xA1B23C4D, 60, 60)))) {
                assertThat(Objects.requireNonNull(nanos.next()).timeNanos()).isEqualTo(7_000_000_009L);
            }
        }
    }

    @Test
    void whatIsNoCaptureIsNamed() throws IOException {
        assertThatThrownBy(() -> PcapReader.open(file(new byte[5])))
                .hasMessageContaining("ends within the header of a capture file, after 5 of 24 bytes");
        assertThatThrownBy(() -> PcapReader.open(file(ByteBuffer.allocate(99))))
                .hasMessageContaining("is no pcap file: it begins with 0x00000000");
        assertThatThrownBy(() -> PcapReader.open(file(ByteBuffer.allocate(99).putInt(0, 0x0A0D0D0A))))
                .hasMessageContaining("editcap");
        assertThatThrownBy(() -> PcapReader.open(
                        file(capture(ByteOrder.BIG_ENDIAN, 0xA1B2C3D4, 1, 1).putInt(20, 113))))
                .hasMessageContaining("link type 113");
    }

    @Test
    void aFileThatEndsTooEarlyIsNamedWithTheFrame() throws IOException {
        try (PcapReader cut = PcapReader.open(file(capture(ByteOrder.BIG_ENDIAN, 0xA1B2C3D4, 60, 59)))) {
            assertThatThrownBy(cut::next).hasMessageContaining("ends within frame 1");
        }
    }

    @Test
    void aLengthThatCannotBeTakesNoMemory() throws IOException {
        try (PcapReader huge = PcapReader.open(file(capture(ByteOrder.BIG_ENDIAN, 0xA1B2C3D4, 1 << 30, 4)))) {
            assertThatThrownBy(huge::next).hasMessageContaining("frame 1 says that it has 1073741824 bytes");
        }
    }

    @Test
    void framesOfOtherKindsAreNoDatagrams() {
        for (int length = 0; length < 80; length++) {
            assertThat(Datagram.of(new Frame(1, 0, ByteBuffer.allocate(length), length), Set.of(4791)))
                    .isNull();
        }
    }
}
