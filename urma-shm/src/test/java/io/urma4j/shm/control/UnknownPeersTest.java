package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class UnknownPeersTest {
    @Test
    void theUidOfUsersThatAreNotMappedIsReadWhole() throws Exception {
        Process cat = new ProcessBuilder("cat", "/proc/sys/kernel/overflowuid").start();
        String uid = new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        assertThat(cat.waitFor()).isZero();

        assertThat(UnknownPeers.overflowUid()).isEqualTo(Integer.parseInt(uid));
    }
}
