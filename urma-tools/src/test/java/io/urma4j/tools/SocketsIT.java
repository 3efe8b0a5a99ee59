package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs of the JDK alone, run by {@code urma run}, and what {@code urma sockets} shows of them. */
@Timeout(180)
class SocketsIT extends WithShell {
    /** Echoes on a port that it prints, one connection after the other, until its standard input ends. */
    static final class Server {
        public static void main(String[] arguments) throws IOException {
            var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
            System.out.println("port " + ((InetSocketAddress) listener.getLocalAddress()).getPort() + ".");
            while (true) {
                SocketChannel accepted = listener.accept();
                Thread.ofPlatform().daemon().start(() -> echo(accepted));
            }
        }

        private static void echo(SocketChannel channel) {
            try (channel) {
                ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
                while (channel.read(bytes.clear()) >= 0) {
                    bytes.flip();
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Sends bytes, prints how many came back, and keeps the connection until its standard input ends. */
    static final class Client {
        public static void main(String[] arguments) throws IOException {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
            try (SocketChannel channel = SocketChannel.open(address)) {
                channel.write(ByteBuffer.allocate(1000));
                ByteBuffer back = ByteBuffer.allocate(1000);
                while (back.hasRemaining() && channel.read(back) >= 0) {
                    // until all are back
                }
                System.out.println("back " + back.position() + ".");
                while (System.in.read() >= 0) {
                    // until its end
                }
            }
        }
    }

    private static List<String> java(Class<?> program, String... arguments) {
        List<String> line = new ArrayList<>(List.of("run", "--"));
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-Durma.socket.wait=500"); // the machine may be busy
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        line.addAll(List.of(arguments));
        return line;
    }

    private Running start(List<String> line) throws IOException {
        return shell.start(line.toArray(String[]::new));
    }

    private static String portOf(Running server) throws IOException {
        server.awaitOut(".");
        return server.out().replaceAll("\\D", "");
    }

    @Test
    void twoProgramsThatKnowNothingConnectThroughSharedMemory() throws Exception {
        Running server = start(java(Server.class));
        String port = portOf(server);
        Running client = start(java(Client.class, port));
        client.awaitOut("back 1000.");

        Ended table = shell.run("sockets");
        Ended json = shell.run("sockets", "--json");
        client.process().getOutputStream().close();

        assertThat(client.ended().exitCode()).isZero();
        assertThat(table.out())
                .containsPattern("127.0.0.1:\\d+ +127.0.0.1:" + port + " +shm0 +NONE +1000 +0 +1000 ")
                .containsPattern("127.0.0.1:" + port + " +127.0.0.1:\\d+ +shm0 +NONE +1000 +0 +1000 ");
        assertThat(json.out()).contains("\"peer\" : \"127.0.0.1:" + port + "\"", "\"rx_bytes\" : 1000");
        assertThat(server.interrupted().exitCode()).isNotZero();
    }

    @Test
    void aClosedConnectionIsShownNoMore() throws Exception {
        Running server = start(java(Server.class));
        Running client = start(java(Client.class, portOf(server)));
        client.awaitOut("back 1000.");
        client.process().getOutputStream().close();
        client.ended();

        Ended table = shell.run("sockets");

        assertThat(table.exitCode()).isZero();
        assertThat(table.out()).isEmpty();
        assertThat(table.err()).contains("no process of this user has connections of urma-socket");
    }

    @Test
    void theExitCodeIsThatOfTheProgram() throws Exception {
        assertThat(shell.run("run", "--", "sh", "-c", "exit 7").exitCode()).isEqualTo(7);
        assertThat(shell.run("run", "no-such-program").err()).contains("no program 'no-such-program'");
    }

    @Test
    void aVariableThatIsSetAlreadyStaysInFront() throws Exception {
        shell.with("JAVA_TOOL_OPTIONS", "-Da=b");
        Ended ended = shell.run("run", "--require", "--", "sh", "-c", "echo $JAVA_TOOL_OPTIONS");

        assertThat(ended.out())
                .startsWith("-Da=b \"-javaagent:")
                .endsWith("urma.jar\" --enable-native-access=ALL-UNNAMED -Durma.socket.mode=require\n");
    }
}
