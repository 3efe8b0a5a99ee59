package io.urma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.Session;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The conversation of the two sides, with peers that do not keep to it. */
@Timeout(60)
class ControlTest {
    private static final String GREETING = "urma-perftest " + Control.VERSION + "\n";

    private ServerSocket listener;
    private Socket ours;
    private Socket theirs;

    @BeforeEach
    void connect() throws Exception {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ours = new Socket(listener.getInetAddress(), listener.getLocalPort());
        theirs = listener.accept();
    }

    @AfterEach
    void disconnect() throws Exception {
        ours.close();
        theirs.close();
        listener.close();
    }

    private void theySay(String text) throws IOException {
        theirs.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    private Control greeted() throws Exception {
        theySay(GREETING);
        return Control.greet(ours, "the server");
    }

    @Test
    void linesTravelBothWays() throws Exception {
        var greeting = CompletableFuture.supplyAsync(() -> {
            try {
                return Control.greet(theirs, "the client");
            } catch (IOException | InterruptedException e) {
                throw new CompletionException(e);
            }
        });
        Control control = Control.greet(ours, "the server");
        Control other = greeting.get();

        control.say(Line.of("a").with("b", "c d=e"));
        other.say(Line.of("f"));

        assertThat(other.hear("a").text("b")).isEqualTo("c d=e");
        assertThat(control.hear("f").values()).isEmpty();
        assertThat(control.hasSpoken()).isFalse();
    }

    @Test
    void hostThatVanishesIsNoticedByTheKernel() throws Exception {
        var _ = greeted();

        assertThat(ours.getKeepAlive()).isTrue();
        assertThat(ours.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(10);
        assertThat(ours.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(5);
        assertThat(ours.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(3);
    }

    @Test
    void whoSpeaksSomethingElseIsTold() throws Exception {
        theySay("GET / HTTP/1.1\r\n\r\n");

        assertThatThrownBy(() -> Control.greet(ours, "the client"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("the client is no urma-perftest: it said 'GET / HTTP/1.1?'");
    }

    @Test
    void aLongFirstLineIsNotReadToItsEnd() throws Exception {
        theySay("x".repeat(100_000));

        assertThatThrownBy(() -> Control.greet(ours, "the client")).hasMessageContaining("is no urma-perftest");
    }

    @Test
    void anotherVersionIsNamed() throws Exception {
        theySay("urma-perftest 2\n");

        assertThatThrownBy(() -> Control.greet(ours, "the server"))
                .hasMessage("the server speaks version 2 of urma-perftest, and this is version 1");
    }

    @Test
    void silenceEndsByTheDeadline() {
        assertThatThrownBy(() -> Control.greet(ours, "the server", Duration.ofMillis(50)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("did not say in 50.00 ms");
    }

    @Test
    void silenceLaterEndsByTheDeadline() throws Exception {
        Control control = greeted();

        assertThatThrownBy(() -> control.hear(Duration.ofMillis(50)))
                .hasMessage("the server sent nothing for 50.00 ms");
    }

    @Test
    void garbageEndsTheConversation() throws Exception {
        Control control = greeted();

        theySay("\u0001\u0002garbage\n");

        assertThatThrownBy(() -> control.hear("phase")).hasMessageContaining("sent a line that is not");
        assertThat(control.isOver()).isTrue();
    }

    @Test
    void aLineThatIsBrokenEndsTheConversation() throws Exception {
        Control control = greeted();

        theySay("urma4j: phase size=%zz\n");

        assertThatThrownBy(() -> control.hear("phase")).hasMessageContaining("sent a line that is not");
    }

    @ParameterizedTest
    @ValueSource(strings = {"failed message=%1B[2J", "phase size=1%0A", "ph^ase", "phase si^ze=1"})
    void aControlCharacterEndsTheConversationAndIsNotRepeated(String line) throws Exception {
        Control control = greeted();

        theySay("urma4j: " + line.replace('^', '\u001b') + "\n");

        assertThatThrownBy(() -> control.hear("phase"))
                .hasMessage("the server sent a line that is not of urma-perftest");
    }

    @Test
    void aLineOutOfTurnIsNamed() throws Exception {
        Control control = greeted();

        theySay(Line.of("bye").encode() + "\n");

        assertThatThrownBy(() -> control.hear("phase")).hasMessage("the server said 'bye' where 'phase' was due");
    }

    @Test
    void aValueThatIsNoNumberIsNamed() throws Exception {
        Control control = greeted();

        theySay(Line.of("phase").with("size", "many").encode() + "\n");

        assertThatThrownBy(() -> Phase.of(control.hear("phase"))).hasMessageContaining("'size' that is no number");
    }

    @Test
    void aBusyLoopSeesThatTheOtherSideFailed() throws Exception {
        Control control = greeted();
        Watch watch = new Watch(control);

        theySay(Line.of(Control.FAILED).with("message", "no memory").encode() + "\n");

        await().until(control::hasSpoken);
        assertThatThrownBy(watch::lookUp).hasMessage("the server: no memory");
    }

    @Test
    void whatWasSaidBeforeTheEndIsStillHeard() throws Exception {
        Control control = greeted();

        theySay(Line.of("done").encode() + "\n");
        theirs.close();

        await().until(control::isOver);
        assertThat(control.hear("done").verb()).isEqualTo("done");
        assertThatThrownBy(() -> control.hear("bye")).hasMessage("the server closed the control connection");
    }

    @Test
    void aSideThatSleepsUntilEventsEndsWithoutProgress() throws Exception {
        try (Session session = Session.open("shm0")) {
            Settings settings = ClashesTest.settings("send_lat --use_jfce=true");
            Watch watch = new Watch(greeted(), Duration.ofMillis(100));
            Records records = new Records(new Endpoint(session, settings), settings, watch);

            assertThatThrownBy(() -> {
                        while (true) {
                            records.pollOrWait();
                        }
                    })
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageStartingWith("no progress for 100.00 ms");
        }
    }

    @Test
    void aBusyLoopSeesAnInterrupt() throws Exception {
        Watch watch = new Watch(greeted());

        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> {
                    while (true) {
                        watch.idle();
                    }
                })
                .isInstanceOf(InterruptedException.class);
    }
}
