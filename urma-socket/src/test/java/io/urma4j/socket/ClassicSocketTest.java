package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same scenarios on sockets of the JDK and on ours: what each call returns or throws must be equal. */
@Timeout(60)
@TestInstance(Lifecycle.PER_CLASS)
class ClassicSocketTest {
    private static final ClassicSockets JDK = new ClassicSockets.OfTheJdk();
    private static final ClassicSockets OVER_TCP = new ClassicSockets.OverChannels(new UrmaSelectorProvider());

    // of the instance: a class that runs again, since a test has failed, needs new ones
    private final OverRings rings = new OverRings(settings -> settings.withRingBytes(16 << 10));
    private final ClassicSockets overRings = new ClassicSockets.OverChannels(rings.provider());

    @AfterAll
    void close() throws IOException {
        rings.close();
    }

    @ParameterizedTest
    @EnumSource
    void aScenarioOverTcpEndsAsOnTheJdk(ClassicScenario scenario) throws Exception {
        assertThat(scenario.notesOn(OVER_TCP)).isEqualTo(scenario.notesOn(JDK));
    }

    @ParameterizedTest
    @EnumSource
    void aScenarioOverRingsEndsAsOnTheJdk(ClassicScenario scenario) throws Exception {
        assertThat(scenario.notesOn(overRings)).isEqualTo(scenario.notesOn(JDK));
    }

    @Test
    void urgentBytesCrossOverTcpAsOnTheJdk() throws Exception {
        ClassicRun.Steps steps = run -> {
            run.connect();
            run.server().setOOBInline(true);
            run.note("send", () -> run.client.sendUrgentData('!'));
            run.note("receive", () -> run.server().getInputStream().read());
        };

        assertThat(ClassicRun.notesOf(steps, OVER_TCP))
                .containsExactly("send: done", "receive: " + (int) '!')
                .isEqualTo(ClassicRun.notesOf(steps, JDK));
    }

    @Test
    void urgentBytesAreRefusedOverRings() throws Exception {
        ClassicRun.Steps steps = run -> {
            run.connect();
            run.note("send", () -> run.client.sendUrgentData('!'));
        };

        assertThat(ClassicRun.notesOf(steps, overRings))
                .containsExactly(
                        "send: java.net.SocketException:" + " Urgent data not supported by a connection over rings");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptOfAPlatformThreadThatReadsClosesTheConnection(boolean useRings) throws Exception {
        ClassicRun.Steps steps = run -> {
            run.connectAndGreet();
            var waiting = run.whileWaiting("read", Thread.ofPlatform().daemon(), run.client.getInputStream()::read);
            waiting.thread().interrupt();
            run.note(waiting);
            run.note("again", () -> run.client.getInputStream().read());
            run.note("peer", () -> run.server().getInputStream().read());
        };

        assertThat(ClassicRun.notesOf(steps, useRings ? overRings : OVER_TCP))
                .containsExactly(
                        "read: java.net.SocketException: Closed by interrupt",
                        "again: java.net.SocketException: Socket closed",
                        "peer: -1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSocketThatTheProgramLosesIsClosedByTheGarbageCollector(boolean useRings) throws Exception {
        ClassicSockets sockets = useRings ? overRings : OVER_TCP;
        try (ServerSocket listener = sockets.listener()) {
            listener.bind(ClassicRun.LOOPBACK);
            connectAndLose(sockets, listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                server.setSoTimeout(50);
                assertThat(readWhileCollecting(server)).isEqualTo(-1);
            }
        }
    }

    private static void connectAndLose(ClassicSockets sockets, SocketAddress address) throws IOException {
        sockets.socket().connect(address);
    }

    /** Collects garbage until a read sees the end; the timeout of the test bounds it. */
    private static int readWhileCollecting(Socket socket) throws IOException {
        while (true) {
            System.gc();
            try {
                return socket.getInputStream().read();
            } catch (SocketTimeoutException e) {
                // not collected yet
            }
        }
    }

    @Test
    void aListenerOfOursRefusesAnotherImplementation() throws Exception {
        try (var listener = OVER_TCP.listener();
                Socket other = new Socket()) {
            listener.bind(ClassicRun.LOOPBACK);

            assertThatThrownBy(() -> listener.acceptInto(other))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("UrmaServerSocketImpl cannot accept");
        }
    }
}
