package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.DescriptorException;
import io.urma4j.Eid;
import io.urma4j.PeerId;
import io.urma4j.UrmaException;
import io.urma4j.buffer.Peer.Member;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** S14.18: the contexts that buffers are exported to, as a line. */
class PeerTest {
    private static final Eid EID = Eid.parse("2001:db8::1");
    private static final Member SHM = new Member("shm", new PeerId(EID, 7, -1));
    private static final Member UDMA = new Member("udma", new PeerId(Eid.parse("10.1.2.3"), 0xFF_FFFF, 42));
    private static final Peer PEER = new Peer(List.of(SHM, UDMA));

    @Test
    void releasedFormStaysAsItIs() {
        assertThat(PEER.toText()).isEqualTo(Golden.text("peer.txt"));
        assertThat(Peer.parse(" " + Golden.text("peer.txt") + "\n")).isEqualTo(PEER);
    }

    @Test
    void anyOtherCharacterIsRefused() {
        String line = PEER.toText();
        for (int i = 0; i < line.length(); i++) {
            String cut = line.substring(0, i);
            for (String changed : List.of(cut, cut + (char) (line.charAt(i) ^ 1) + line.substring(i + 1))) {
                assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> Peer.parse(changed));
            }
        }
    }

    @Test
    void impossiblePeersAreRefused() {
        assertThatThrownBy(() -> new Peer(List.of())).hasMessageContaining("number of contexts is 0, must lie in 1…16");
        assertThatThrownBy(() -> new Peer(Collections.nCopies(17, SHM))).hasMessageContaining("contexts is 17");
        assertThatThrownBy(() -> new Peer(List.of(SHM, UDMA, new Member("udma", SHM.id()))))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("stands twice");
        for (String provider : List.of("", "Shm", "0", "a".repeat(33), "shm\n")) {
            assertThatThrownBy(() -> new Member(provider, SHM.id())).hasMessageContaining("provider must be");
        }
    }

    /** Behind a right checksum. */
    @Test
    void forgedLinesAreRefused() {
        byte[] form = Base64.getUrlDecoder().decode(PEER.toText().substring("urma4j:peer:1:".length()));
        int provider = 12 + 4 + 28;
        assertThat(form[provider]).isEqualTo((byte) 's');
        ByteBuffer.wrap(form).putShort(14, (short) 27).put(provider, (byte) 'S');
        CRC32C crc = new CRC32C();
        crc.update(form, 0, form.length - 4);
        ByteBuffer.wrap(form).putInt(form.length - 4, (int) crc.getValue());
        String forged =
                "urma4j:peer:1:" + Base64.getUrlEncoder().withoutPadding().encodeToString(form);
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> Peer.parse(forged))
                .withMessageContaining("has 27 bytes, must have at least 28");
    }
}
