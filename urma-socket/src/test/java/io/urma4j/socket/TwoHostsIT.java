package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two network namespaces with a line between them, as two hosts. Connections use the network device where the settings name it. */
@Timeout(120)
class TwoHostsIT {
    private static final String SERVER = "10.77.0.1";
    private static final String CLIENT = "10.77.0.2";
    private static final int PORT = 7007;
    private static final int CONNECTIONS = 20;
    private static final int PATIENCE = 30; // connections before these, until the server also answers by UDP

    /** The first namespace makes the second one, and the line; {@code $0} is what runs in each. */
    private static final String HOSTS = """
            set -e
            ip link set lo up
            unshare --net sleep 60 & other=$!
            trap 'kill $other' EXIT
            while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
            ip link add here type veth peer name there netns $other
            ip addr add $SERVER/24 dev here
            ip link set here up
            nsenter --target $other --net ip link set lo up
            nsenter --target $other --net ip addr add $CLIENT/24 dev there
            nsenter --target $other --net ip link set there up
            [ $# -gt 0 ] || exit 0
            "$@" server & server=$!
            status=0
            nsenter --target $other --net "$@" client || status=$?
            kill $server
            exit $status
            """;

    /** Serves, or connects again and again and prints what has moved the bytes. */
    static final class Host {
        public static void main(String[] arguments) throws Exception {
            boolean serves = arguments[2].equals("server");
            SocketSettings settings = SocketSettings.of(Mode.AUTO)
                    .withOfferTimeout(Duration.ofSeconds(2))
                    .withNetworks(arguments[1]);
            UrmaOptions options = UrmaOptions.DEFAULT
                    .withRuntimeDirectory(Path.of(arguments[0], arguments[2]))
                    .withSetting("urma.udma.addresses", serves ? SERVER : CLIENT);
            var provider = new UrmaSelectorProvider(new LazyNode(settings, options));
            var address = new InetSocketAddress(InetAddress.ofLiteral(SERVER), PORT);
            if (serves) {
                ServerSocketChannel listener =
                        provider.openServerSocketChannel().bind(address);
                while (true) {
                    SocketChannel accepted = listener.accept();
                    Thread.ofVirtual().start(() -> FaultVictim.echo(accepted));
                }
            }
            int overRings = 0;
            awaitServer(provider, address);
            for (int i = 0; i < CONNECTIONS; i++) {
                overRings += FaultVictim.exchange(provider, address) ? 1 : 0;
            }
            System.out.println(overRings + " of " + CONNECTIONS + " over rings");
            System.exit(0);
        }

        /** Until it uses the network device, or is known not to. */
        private static void awaitServer(UrmaSelectorProvider provider, InetSocketAddress address)
                throws InterruptedException {
            int connected = 0;
            while (connected < PATIENCE) {
                Thread.sleep(100);
                try {
                    connected = FaultVictim.exchange(provider, address) ? PATIENCE : connected + 1;
                } catch (IOException e) {
                    connected = 0; // it is starting
                }
            }
        }
    }

    private static String outputOf(String... command) throws IOException, InterruptedException {
        List<String> all =
                new ArrayList<>(List.of("unshare", "--user", "--map-root-user", "--net", "sh", "-c", HOSTS, "hosts"));
        all.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
        builder.environment().putAll(Map.of("SERVER", SERVER, "CLIENT", CLIENT));
        Process process = builder.start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return process.exitValue() == 0 ? output : "exit " + process.exitValue() + ": " + output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static String connect(Path directory, String networks) throws IOException, InterruptedException {
        List<String> command =
                JavaProcess.command(System.getProperty("java.class.path"), Host.class, directory.toString(), networks);
        return outputOf(command.toArray(String[]::new));
    }

    @Test
    void connectionsBetweenHostsUseTheNetworkDeviceWhereTheSettingsSaySo(@TempDir Path directory) throws Exception {
        String attempt = outputOf();
        assumeTrue(attempt.isEmpty(), "skipped: this machine does not let us make two hosts: " + attempt);

        assertThat(connect(directory, "10.77.0.0/16")).isEqualTo(CONNECTIONS + " of " + CONNECTIONS + " over rings\n");
        assertThat(connect(directory, "10.78.0.0/16")).isEqualTo("0 of " + CONNECTIONS + " over rings\n");
    }
}
