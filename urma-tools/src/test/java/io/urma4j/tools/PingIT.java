package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Asking whether a network device is there. */
class PingIT extends WithShell {
    private static final String HOME = "127.0.83.1";
    private static final String EMPTY = "127.0.83.2";

    private UrmaOptions at(String address) {
        return UrmaOptions.DEFAULT
                .withRuntimeDirectory(shell.runtimeDirectory())
                .withSetting("urma.udma.addresses", address);
    }

    @Test
    void anyProcessWithAnOpenDeviceAnswers() throws Exception {
        try (Urma urma = Urma.open(at(HOME));
                UrmaContext _ = urma.device("udma0").openContext()) {
            Ended ended = shell.run("ping", "-c", "5", "-i", "0.01", "-s", "968", "::ffff:" + HOME);

            assertThat(ended.exitCode()).as(ended.err()).isZero();
            assertThat(ended.out())
                    .startsWith("PING " + HOME + " port 4791 from 127.0.0.1: 968 bytes of data\n")
                    .contains("968 bytes from " + HOME + ": seq=5 time=")
                    .contains("\n--- " + HOME + " ping statistics ---\n")
                    .contains("5 packets transmitted, 5 received, 0% packet loss, time ")
                    .containsPattern("rtt min/avg/max/mdev = [0-9.]+/[0-9.]+/[0-9.]+/[0-9.]+ ms\n$");
        }
    }

    @Test
    void aDeviceAtAnotherPortAnswersThere() throws Exception {
        try (DatagramSocket taken = new DatagramSocket(4791, InetAddress.ofLiteral(HOME));
                Urma urma = Urma.open(at(HOME));
                UrmaContext context = urma.device("udma0").openContext()) {
            String path = context.device().attributes().ioPath();
            String port = path.replaceFirst(".* on port (\\d+) of .*", "$1");

            Ended ended = shell.run("ping", "-c", "1", "-p", port, "--json", HOME);

            assertThat(taken.isBound()).isTrue();
            assertThat(ended.exitCode()).as(ended.err()).isZero();
            assertThat(ended.out()).contains("\"received\" : 1").contains("\"mdevMillis\" : 0");
        }
    }

    @Test
    void whereNobodyAnswersEverythingIsLostAndTheExitCodeIs1() throws Exception {
        Ended ended = shell.run("ping", "-c", "3", "-i", "0.05", "-W", "0.1", EMPTY);

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.out())
                .contains("no answer to seq=3\n")
                .contains("3 packets transmitted, 0 received, 100% packet loss")
                .doesNotContain("rtt");
        assertThat(ended.err())
                .startsWith("urma: no answer from " + EMPTY + " port 4791: no process there has a udma device open");
    }

    @Test
    void interruptedItStillSumsUp() throws Exception {
        try (Urma urma = Urma.open(at(HOME));
                UrmaContext _ = urma.device("udma0").openContext()) {
            Running ping = shell.start("ping", "-i", "0.05", HOME);
            ping.awaitOut("seq=3 ");

            Ended ended = ping.interrupted();

            assertThat(ended.exitCode()).as(ended.err()).isZero();
            assertThat(ended.out()).contains(" received, 0% packet loss").contains("rtt min/avg/max/mdev");
        }
    }

    @Test
    void wrongUseIsRefusedWithTheLimit() throws Exception {
        Ended ended = shell.run("ping", "-s", "969", HOME);

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("-s 969 is not within 0 and 968 bytes");
    }
}
