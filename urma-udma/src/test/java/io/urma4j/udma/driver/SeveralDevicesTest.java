package io.urma4j.udma.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Eid;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.tck.Patience;
import io.urma4j.udma.udp.IoBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Several addresses are several devices, and settings are for all of them. */
class SeveralDevicesTest {
    private static final String ADDRESSES = "127.0.73.1,127.0.73.2";
    private static final int BYTES = 100_000;

    @TempDir
    private Path folder;

    private UrmaOptions options() {
        return UrmaOptions.DEFAULT.withRuntimeDirectory(folder).withSetting("urma.udma.addresses", ADDRESSES);
    }

    @Test
    void bytesMoveBetweenTwoDevicesOfOneLibraryInBothDirections() {
        try (Urma urma = Urma.open(options())) {
            assertThat(urma.devices())
                    .filteredOn(device -> device.attributes().provider().equals("udma"))
                    .extracting(UrmaDevice::name)
                    .containsExactly("udma0", "udma1");
            try (UrmaContext first = urma.device("udma0").openContext();
                    UrmaContext second = urma.device("udma1").openContext()) {
                assertThat(first.eid()).isEqualTo(Eid.parse("127.0.73.1"));
                assertThat(second.eid()).isEqualTo(Eid.parse("127.0.73.2"));

                carry(first, second, 17);
                carry(second, first, 18);
            }
        }
    }

    /** Writes there, and reads what is there now. */
    private static void carry(UrmaContext here, UrmaContext there, long content) {
        var home = there.register(there.allocate(BYTES), Access.READ_WRITE);
        var local = here.register(here.allocate(2 * BYTES), Access.LOCAL_ONLY);
        var remote = here.importSegment(SharedSegment.parse(home.share()));
        Jfc jfc = here.createJfc(JfcConfig.DEFAULT);
        var jfs = here.createJfs(jfc, JfsConfig.DEFAULT);
        local.memory().asSlice(0, BYTES).fill((byte) content);

        jfs.write(remote, 0, local, 0, BYTES, 1);
        awaitSuccess(jfc);
        assertThat(home.memory().asSlice(0, BYTES).mismatch(local.memory().asSlice(0, BYTES)))
                .as("first byte that differs at %s", there.eid())
                .isEqualTo(-1);
        home.memory().set(JAVA_LONG, 0, -content);
        jfs.read(remote, 0, local, BYTES, BYTES, 2);
        awaitSuccess(jfc);
        assertThat(home.memory().asSlice(0, BYTES).mismatch(local.memory().asSlice(BYTES, BYTES)))
                .as("first byte that differs at %s", here.eid())
                .isEqualTo(-1);
    }

    private static void awaitSuccess(Jfc jfc) {
        CompletionBatch batch = new CompletionBatch(1);
        Patience.await("a record", () -> jfc.poll(batch) == 1);
        assertThat(batch.isSuccess(0)).as(batch.toString()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void theWayOfIoIsTheOneThatIsAskedFor(IoBackend backend) {
        try (Urma urma = Urma.open(options().withSetting("urma.udma.io", backend.name()))) {
            for (String device : new String[] {"udma0", "udma1"}) {
                assertThat(urma.device(device).attributes().ioPath()).contains("by " + backend, "as configured");
            }
        }
    }

    @Test
    void aWayOfIoThatThereIsNotIsRefusedWithThoseThatThereAre() {
        try (Urma urma = Urma.open(options().withSetting("urma.udma.io", "fast"))) {
            UrmaDevice device = urma.device("udma0");

            assertThatExceptionOfType(UrmaException.class)
                    .isThrownBy(device::openContext)
                    .withMessageContaining("setting urma.udma.io: backend 'fast' is none of auto, gso, mmsg, channel")
                    .satisfies(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        }
    }

    @ParameterizedTest
    @CsvSource({"on, ECN is on", "off, ECN is off: as configured"})
    void whetherSwitchesMayMarkIsToldAndIsTheOneThatIsAskedFor(String choice, String told) {
        try (Urma urma = Urma.open(options().withSetting("urma.udma.ecn", choice))) {
            assertThat(urma.device("udma1").attributes().ioPath()).contains(told);
        }
    }

    @Test
    void marksThatTheWayOfIoDoesNotTellOfAreRefusedToWhoAsksForThem() {
        UrmaOptions both = options().withSetting("urma.udma.ecn", "on").withSetting("urma.udma.io", "channel");
        try (Urma urma = Urma.open(both)) {
            assertThatExceptionOfType(UrmaException.class)
                    .isThrownBy(urma.device("udma0")::openContext)
                    .withMessageContaining("ECN was requested, but does not work here: DatagramChannel");
        }
    }
}
