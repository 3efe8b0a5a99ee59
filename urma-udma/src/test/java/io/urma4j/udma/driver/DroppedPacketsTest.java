package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.control.ResourceText;
import io.urma4j.tck.Patience;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.IpHeaders;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which packets a device has dropped, as {@code urma admin show} counts them by reason. */
class DroppedPacketsTest {
    private static final InetAddress HOME = InetAddress.ofLiteral("127.0.77.1");
    private static final InetAddress SENDER = InetAddress.ofLiteral("127.0.77.2");
    private static final int UD_SEND_ONLY = 0x64;
    private static final int OTHER_PARTITION = 0x1234;

    @TempDir
    private Path folder;

    @Test
    void eachReasonHasItsCount() throws IOException {
        UrmaOptions options = UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder)
                .withSetting("urma.udma.addresses", HOME.getHostAddress());
        try (Urma urma = Urma.open(options);
                UrmaContext context = urma.device("udma0").openContext();
                UrmaContext looking = urma.device("udma0").openContext();
                DatagramSocket sender = new DatagramSocket(new InetSocketAddress(SENDER, 0))) {
            send(sender, 3, datagram(Bth.DEFAULT_P_KEY)); // with 0 in place of the ICRC
            send(sender, 2, datagram(OTHER_PARTITION));
            send(sender, 4, new byte[Bth.BYTES - 1]);
            Patience.await("all nine", () -> dropped(looking, context, "drop_malformed") == 4);

            assertThat(dropped(looking, context, "drop_icrc")).isEqualTo(3);
            assertThat(dropped(looking, context, "drop_partition")).isEqualTo(2);
            assertThat(dropped(looking, context, "drop_no_secret")).isZero();
            assertThat(dropped(looking, context, "drop_on_purpose")).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"PORT", "DROPS"})
    void countersOfAnyMagnitudeAreShown(Kind kind) {
        try (Urma urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder));
                UrmaContext context = urma.device("udma0").openContext();
                UrmaContext looking = urma.device("udma0").openContext()) {
            Resource.Builder largest = Resource.builder(kind, 1);
            of(looking, context, kind)
                    .fields()
                    .forEach((name, value) -> largest.add(name, value.equals("0") ? Long.MAX_VALUE : value));

            assertThat(ResourceText.parse(kind, ResourceText.of(largest.build())))
                    .isEqualTo(largest.build());
        }
    }

    private static byte[] datagram(int partitionKey) {
        ByteBuffer packet = ByteBuffer.allocate(40);
        packet.put(0, (byte) UD_SEND_ONLY);
        packet.putShort(2, (short) partitionKey);
        packet.putInt(4, 1); // QP 1
        return packet.array();
    }

    private static void send(DatagramSocket sender, int times, byte[] packet) throws IOException {
        for (int i = 0; i < times; i++) {
            sender.send(new DatagramPacket(packet, packet.length, HOME, IpHeaders.ROCE_PORT));
        }
    }

    private static long dropped(UrmaContext looking, UrmaContext context, String counter) {
        return Long.parseLong(of(looking, context, Kind.DROPS).field(counter));
    }

    private static Resource of(UrmaContext looking, UrmaContext context, Kind kind) {
        return looking.inspect(Set.of(kind)).stream()
                .filter(view -> view.uasid() == context.uasid())
                .flatMap(view -> view.resources(kind).stream())
                .findFirst()
                .orElseThrow();
    }
}
