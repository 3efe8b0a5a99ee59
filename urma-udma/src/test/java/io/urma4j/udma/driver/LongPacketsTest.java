package io.urma4j.udma.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.tck.Patience;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device and its peer at loopback addresses, whose interface carries the longest packets. */
class LongPacketsTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private UrmaOptions options(String address, String mtu) {
        return UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder)
                .withSetting("urma.udma.addresses", address)
                .withSetting("urma.udma.mtu", mtu);
    }

    private static void await(Jfc jfc) {
        CompletionBatch batch = new CompletionBatch(1);
        Patience.await("a record", () -> jfc.poll(batch) == 1);
        assertThat(batch.isSuccess(0)).as(batch.toString()).isTrue();
    }

    private static long mismatch(MemorySegment one, MemorySegment other) {
        return one.mismatch(other);
    }

    private static MemorySegment random(MemorySegment memory, long seed) {
        Random random = new Random(seed);
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            memory.set(JAVA_LONG, at, random.nextLong());
        }
        return memory;
    }

    /** Packets with that much payload at most carry a mebibyte each way; counts those of the writer. */
    private static long packetsOfAMebibyteEachWay(UrmaContext home, UrmaContext peer) {
        var there = home.register(home.allocate(2 * MIB), Access.READ_WRITE);
        var here = peer.register(peer.allocate(2 * MIB), Access.LOCAL_ONLY);
        random(here.memory(), 1);
        var remote = peer.importSegment(SharedSegment.parse(there.share()));
        Jfc jfc = peer.createJfc(JfcConfig.DEFAULT);
        Jfs jfs = peer.createJfs(jfc, JfsConfig.DEFAULT);

        jfs.write(remote, 0, here, 0, MIB, 1);
        await(jfc);
        assertThat(mismatch(there.memory().asSlice(0, MIB), here.memory().asSlice(0, MIB)))
                .as("what was written")
                .isEqualTo(-1);
        long packets = peer.paths().getFirst().counters().get("sent");
        random(there.memory(), 2);
        jfs.read(remote, 0, here, MIB, MIB, 2);
        await(jfc);
        assertThat(mismatch(there.memory().asSlice(0, MIB), here.memory().asSlice(MIB, MIB)))
                .as("what was read")
                .isEqualTo(-1);
        send(home, peer, jfs, jfc);
        return packets;
    }

    private static void send(UrmaContext home, UrmaContext peer, Jfs jfs, Jfc jfc) {
        Jfc received = home.createJfc(JfcConfig.DEFAULT);
        var jfr = home.createJfr(received, JfrConfig.builder().build());
        var buffer = home.register(home.allocate(MIB), Access.LOCAL_ONLY);
        var message = peer.register(peer.allocate(MIB), Access.LOCAL_ONLY);
        random(message.memory(), 3);
        jfr.receive(buffer, 0, MIB, 1);
        var target = peer.importJetty(jfr.share());

        jfs.send(target, message, 0, MIB, 3);
        await(jfc);
        await(received);

        assertThat(mismatch(buffer.memory(), message.memory()))
                .as("what was sent")
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"auto, auto, 18", "auto, 32768, 32", "8192, auto, 128", "4096, auto, 256", "auto, 4096, 256"})
    void theSmallerPathMtuOfBothEndsIsUsed(String ofHome, String ofPeer, int packets) {
        try (Urma homes = Urma.open(options("127.0.75.1", ofHome));
                Urma peers = Urma.open(options("127.0.75.2", ofPeer));
                UrmaContext home = homes.device("udma0").openContext();
                UrmaContext peer = peers.device("udma0").openContext()) {
            assertThat(packetsOfAMebibyteEachWay(home, peer)).isBetween((long) packets, packets + packets / 4L);
        }
    }

    /** What a port has by RoCE is for datagrams, and for peers that are not urma4j. */
    @Test
    void theDeviceTellsBothPathMtus() {
        try (Urma urma = Urma.open(options("127.0.75.1", "auto"));
                Urma limited = Urma.open(options("127.0.75.2", "2048"))) {
            UrmaDevice device = urma.device("udma0");
            assertThat(device.attributes().mtuBytes()).isEqualTo(4096);
            assertThat(device.attributes().ioPath()).contains("path MTU of 61440 between urma4j peers");
            assertThat(limited.device("udma0").attributes().mtuBytes()).isEqualTo(2048);
            assertThat(limited.device("udma0").attributes().ioPath()).doesNotContain("path MTU");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"9000", "128", "65536", "jumbo", "-4096"})
    void aPathMtuThatThereIsNotIsRefusedWithThoseThatThereAre(String mtu) {
        try (Urma urma = Urma.open(options("127.0.75.1", mtu))) {
            UrmaDevice device = urma.device("udma0");

            assertThatExceptionOfType(UrmaException.class)
                    .isThrownBy(device::openContext)
                    .withMessageContaining("setting urma.udma.mtu: '" + mtu
                            + "' is none of auto, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 61440")
                    .satisfies(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        }
    }
}
