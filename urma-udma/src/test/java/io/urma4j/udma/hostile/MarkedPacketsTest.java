package io.urma4j.udma.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.tck.Patience;
import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two contexts at work, and a packet of one of them that arrives as if a switch had marked it. */
class MarkedPacketsTest {
    private static final Pattern PORT = Pattern.compile("on port (\\d+)");

    @TempDir
    private Path folder;

    private Urma open(String address, String ecn, String capture) {
        return Urma.open(UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder.resolve("run"))
                .withSetting("urma.udma.addresses", address)
                .withSetting("urma.udma.ecn", ecn)
                .withSetting("urma.udma.capture", folder.resolve(capture).toString()));
    }

    @ParameterizedTest
    @CsvSource({"127.0.76.1, 127.0.76.2, on", "127.0.76.1, 127.0.76.2, off", "::1, ::1, on", "::1, ::1, off"})
    void itDrawsANoticeThatThePeerHeedsWhereMarksAreLookedFor(String homeAddress, String peerAddress, String ecn)
            throws Exception {
        try (Urma homeUrma = open(homeAddress, ecn, "home.pcap");
                Urma peerUrma = open(peerAddress, ecn, "peer.pcap");
                UrmaContext home = homeUrma.device("udma0").openContext();
                UrmaContext peer = peerUrma.device("udma0").openContext();
                UrmaContext looking = homeUrma.device("udma0").openContext()) {
            var segment = home.register(home.allocate(4096), Access.READ_WRITE);
            RemoteMemory memory = peer.importMemory(segment.share());
            memory.write(0, new byte[1000]);
            int port = port(homeUrma);
            byte[] sent = lastOfConnection(folder.resolve("peer.pcap"), port, homeAddress);

            try (Forge onTheWay = Forge.openInTheNameOf(peerAddress, port(peerUrma), homeAddress, port)) {
                onTheWay.put(sent);
                onTheWay.sendAsIs();
                onTheWay.mark();
                onTheWay.sendAsIs();
            }
            memory.write(0, new byte[1000]); // behind both in the home's socket

            long expected = ecn.equals("on") ? 1 : 0;
            Patience.await("the notice", () -> device(looking, peer, "cnp_handled") >= expected);
            assertThat(device(looking, home, "rx_marked")).isEqualTo(expected);
            assertThat(device(looking, home, "cnp_sent")).isEqualTo(expected);
            assertThat(device(looking, peer, "cnp_handled")).isEqualTo(expected);
            assertThat(device(looking, peer, "rx_marked")).isZero();
            memory.close();
        }
    }

    private static int port(Urma urma) {
        Matcher path = PORT.matcher(urma.device("udma0").attributes().ioPath());
        assertThat(path.find()).isTrue();
        return Integer.parseInt(path.group(1));
    }

    /** Once it is in the file. */
    private static byte[] lastOfConnection(Path capture, int port, String to) throws Exception {
        List<byte[]> sent = new ArrayList<>();
        Patience.await("a packet of the connection", () -> {
            sent.addAll(ofConnection(capture, port, InetAddress.ofLiteral(to)));
            return !sent.isEmpty();
        });
        return sent.getLast();
    }

    private static List<byte[]> ofConnection(Path capture, int port, InetAddress to) {
        try {
            return Forge.read(capture, port).stream()
                    .filter(datagram -> datagram.destination().equals(to))
                    .filter(datagram ->
                            datagram.sourcePort() != port || !datagram.source().equals(to))
                    .map(Datagram::packet)
                    .filter(packet -> Opcodes.has(packet.opcode(), Header.RDETH))
                    .map(packet -> packet.bytes().segment().toArray(ValueLayout.JAVA_BYTE))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the device of a context has counted. */
    private static long device(UrmaContext looking, UrmaContext context, String field) {
        Resource shown = looking.inspect(Set.of(Kind.PORT)).stream()
                .filter(view -> view.uasid() == context.uasid())
                .flatMap(view -> view.resources(Kind.PORT).stream())
                .findFirst()
                .orElseThrow();
        return Long.parseLong(shown.field(field));
    }
}
