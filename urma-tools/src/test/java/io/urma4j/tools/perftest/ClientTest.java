package io.urma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.tools.CommandFailure;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that cannot be reached. */
@Timeout(60)
class ClientTest {
    private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();
    private static final Duration PATIENCE = Duration.ofMillis(300);

    @Test
    void whereNobodyListensThatIsSaid() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }

        assertThatThrownBy(() -> Client.connect(HOST, port, PATIENCE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("no process listens on port " + port + " of " + HOST);
    }

    /** The kernel completes no more connections than the backlog of a server that does not accept holds. */
    @Test
    void whoDoesNotAnswerIsNamedWithThePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = socket.getLocalPort();
            List<Socket> waiting = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++) {
                    waiting.add(new Socket(HOST, port));
                }

                assertThatThrownBy(() -> Client.connect(HOST, port, PATIENCE))
                        .isInstanceOf(CommandFailure.class)
                        .hasMessageStartingWith("port " + port + " of " + HOST + " cannot be reached: ");
            } finally {
                for (Socket each : waiting) {
                    each.close();
                }
            }
        }
    }

    @Test
    void aNameThatNobodyHasStaysAnUnknownHost() {
        assertThatThrownBy(() -> Client.connect("nohost.invalid", 21115, PATIENCE))
                .isInstanceOf(UnknownHostException.class);
    }
}
