package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two network namespaces with one runtime directory, as of containers: 127.0.0.1 of one is not that of the other. */
@Timeout(120)
class NamespacesIT {
    private static final List<String> NAMESPACE = List.of(
            "unshare", "--user", "--map-root-user", "--net", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\"");

    /** Connects to a port at which nothing listens in its namespace, and then to a listener of its own at the same port. */
    static final class Stranger {
        public static void main(String[] arguments) throws Exception {
            var provider = new UrmaSelectorProvider(FaultVictim.node(Path.of(arguments[0])));
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
            try {
                FaultVictim.exchange(provider, address);
                System.out.println("connected");
            } catch (ConnectException e) {
                System.out.println("refused");
            }
            try (ServerSocketChannel listener =
                    provider.openServerSocketChannel().bind(address)) {
                var _ = Background.run(() -> FaultVictim.echo(listener.accept()));
                System.out.println(FaultVictim.exchange(provider, address) ? "rings" : "tcp");
            }
            System.exit(0);
        }
    }

    private static List<String> inNamespace(List<String> command) {
        List<String> all = new ArrayList<>(NAMESPACE);
        all.addAll(command);
        return all;
    }

    private static String outputOf(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return process.exitValue() == 0 ? output : "exit " + process.exitValue() + ": " + output;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aListenerOfAnotherNamespaceIsNotReached() throws Exception {
        String attempt = outputOf(inNamespace(List.of("echo", "made")));
        assumeTrue(attempt.equals("made\n"), "skipped: this machine does not let us make namespaces: " + attempt);

        try (OverRings rings = new OverRings();
                ServerSocketChannel listener = rings.provider()
                        .openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            List<String> stranger = JavaProcess.command(
                    System.getProperty("java.class.path"),
                    Stranger.class,
                    rings.directory().toString(),
                    Integer.toString(((InetSocketAddress) listener.getLocalAddress()).getPort()));
            assertThat(outputOf(inNamespace(stranger))).isEqualTo("refused\nrings\n");

            listener.configureBlocking(false);
            assertThat(listener.accept()).as("what has reached the listener").isNull();
        }
    }
}
