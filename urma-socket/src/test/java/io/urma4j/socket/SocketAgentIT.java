package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs of the JDK alone, which an agent brings to rings. */
@Timeout(120)
class SocketAgentIT {
    private static final String AGENT =
            "-javaagent:" + Path.of("target", "urma-socket.jar").toAbsolutePath();
    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    private static final String PROVIDER = "-Djava.nio.channels.spi.SelectorProvider=";

    /** Connects to itself, and prints over what, and the byte that came. Knows nothing of urma4j. */
    static final class Plain {
        public static void main(String[] arguments) throws IOException {
            var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(loopback)) {
                Thread.ofVirtual().start(() -> answer(listener));
                Thread.ofVirtual().start(() -> answer(listener));
                try (SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
                    ByteBuffer one = ByteBuffer.allocate(1);
                    channel.read(one);
                    System.out.println("got " + one.get(0));
                    for (SocketOption<?> option : channel.supportedOptions()) {
                        print("channel", option, channel.getOption(option));
                    }
                }
                try (Socket socket = new Socket(
                        listener.socket().getInetAddress(), listener.socket().getLocalPort())) {
                    System.out.println("classic got " + socket.getInputStream().read());
                    for (SocketOption<?> option : socket.supportedOptions()) {
                        print("classic", option, socket.getOption(option));
                    }
                }
            }
        }

        private static void print(String what, SocketOption<?> option, @Nullable Object value) {
            if (option.name().startsWith("urma-")) {
                System.out.println(what + " " + option.name() + "=" + value);
            }
        }

        private static void answer(ServerSocketChannel listener) {
            try (SocketChannel accepted = listener.accept()) {
                accepted.write(ByteBuffer.wrap(new byte[] {42}));
                accepted.read(ByteBuffer.allocate(1)); // its end
            } catch (IOException e) {
                e.printStackTrace(System.out);
            }
        }
    }

    /** Chooses the configuration of its logging as it begins, and logs. */
    static final class Logging {
        public static void main(String[] arguments) {
            System.setProperty("java.util.logging.config.class", Configuration.class.getName());
            System.getLogger("test").log(System.Logger.Level.WARNING, "hello");
        }

        /** Instantiated by the JDK's logging, when that begins. */
        public static final class Configuration {
            public Configuration() {
                System.out.println("configured by the program");
            }
        }
    }

    @TempDir
    private Path directory;

    private Ended plain(Map<String, String> environment, String... options) throws Exception {
        return program(Plain.class, environment, options);
    }

    private Ended program(Class<?> program, Map<String, String> environment, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(Ended.tool("java")));
        command.addAll(List.of(options));
        command.add("-Durma.socket.wait=500"); // the machine may be busy
        command.addAll(List.of("-cp", Path.of("target", "test-classes").toString(), program.getName()));
        return Ended.of(command, directory, environment);
    }

    @Test
    void aProgramThatKnowsNothingConnectsOverRings() throws Exception {
        Ended ended = plain(Map.of(), AGENT, NATIVE);

        assertThat(ended.output())
                .contains("got 42", "channel urma-transport=shm0", "classic got 42")
                .doesNotContain("classic urma-transport") // by default
                .doesNotContainIgnoringCase("warning");
        assertThat(ended.code()).isZero();
    }

    @Test
    void oneVariableOfTheEnvironmentSuffices() throws Exception {
        Ended ended = plain(Map.of("JAVA_TOOL_OPTIONS", AGENT + " " + NATIVE));

        assertThat(ended.output()).contains("got 42", "channel urma-transport=shm0");
        assertThat(ended.code()).isZero();
    }

    @Test
    void anAgentThatIsNamedTwiceWorksOnce() throws Exception {
        Ended ended = plain(Map.of("JAVA_TOOL_OPTIONS", AGENT), AGENT, NATIVE);

        assertThat(ended.output())
                .contains("got 42", "channel urma-transport=shm0")
                .doesNotContain("urma-socket:");
        assertThat(ended.code()).isZero();
    }

    @Test
    void theModeOfTheCommandLineStays() throws Exception {
        Ended ended = plain(Map.of(), AGENT, NATIVE, "-Durma.socket.mode=tcp");

        assertThat(ended.output()).contains("got 42").doesNotContain("shm0");
        assertThat(ended.code()).isZero();
    }

    @Test
    void theProviderOfAnotherLibraryStaysAndOneLineSaysSo() throws Exception {
        Ended ended = plain(
                Map.of(),
                AGENT,
                NATIVE,
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                PROVIDER + "sun.nio.ch.EPollSelectorProvider");

        assertThat(ended.output())
                .contains("got 42", "urma-socket: sockets stay as they are", "EPollSelectorProvider")
                .doesNotContain("shm0");
        assertThat(ended.code()).isZero();
    }

    @Test
    void aClassicSocketConnectsOverRings() throws Exception {
        Ended ended = plain(Map.of(), AGENT, NATIVE, "-Durma.socket.classic=true");

        assertThat(ended.output()).contains("got 42", "channel urma-transport=shm0", "classic urma-transport=shm0");
        assertThat(ended.code()).isZero();
    }

    @Test
    void aProgramStillChoosesItsLogging() throws Exception {
        Ended ended = program(Logging.class, Map.of(), AGENT, NATIVE, "-Durma.socket.classic=true");

        assertThat(ended.output()).contains("configured by the program");
        assertThat(ended.code()).isZero();
    }

    @Test
    void anImpossibleSettingEndsTheJvmWithOneLine() throws Exception {
        Ended ended = plain(Map.of(), AGENT, NATIVE, "-Durma.socket.mode=fast");

        assertThat(ended.output())
                .isEqualToIgnoringNewLines("urma-socket: -Durma.socket.mode is fast, must be tcp, auto or require");
        assertThat(ended.code()).isOne();
    }
}
