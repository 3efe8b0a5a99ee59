package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Eid;
import io.urma4j.PeerId;
import io.urma4j.socket.peering.HelloPacket.Cookie;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What hosts see of listeners that they ask for, honest ones and others. */
@Timeout(60)
class HelloServerTest {
    private static final int VERSION = ArenaLayout.VERSION;
    private static final PeerId HOME = new PeerId(Eid.parse("10.1.2.3"), 77, 5);
    private static final InetAddress SERVED = InetAddress.ofLiteral("127.0.0.1");
    private static final int SILENCE_MILLIS = 200;

    private HelloServer server;
    private Answers answers;
    private InetSocketAddress address;
    private DatagramSocket client;

    @BeforeEach
    void listen() throws IOException {
        server = new HelloServer(SelectorProvider.provider(), SERVED::equals, HOME, "a-line");
        client = new DatagramSocket(new InetSocketAddress(SERVED, 0));
        client.setSoTimeout(10_000);
        int free;
        try (DatagramSocket probe = new DatagramSocket(new InetSocketAddress(SERVED, 0))) {
            free = probe.getLocalPort();
        }
        address = new InetSocketAddress(SERVED, free);
        answers = server.listen(address, 9);
    }

    @AfterEach
    void close() {
        client.close();
        answers.close();
        server.close();
    }

    private HelloPacket answer(DatagramSocket from, byte[] question) throws IOException {
        from.send(new DatagramPacket(question, question.length, address));
        var packet = new DatagramPacket(new byte[2000], 2000);
        from.receive(packet);
        assertThat(packet.getLength()).as("bytes of the answer").isLessThanOrEqualTo(question.length);
        return HelloPacket.parse(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()))
                .orElseThrow();
    }

    private HelloPacket answer(DatagramSocket from, Cookie cookie) throws IOException {
        return answer(from, new HelloPacket.Question(VERSION, 4, cookie).toBytes());
    }

    private Cookie challenged(DatagramSocket from) throws IOException {
        assertThat(answer(from, Cookie.NONE)).isInstanceOf(HelloPacket.Challenge.class);
        return ((HelloPacket.Challenge) answer(from, Cookie.NONE)).cookie();
    }

    @Test
    void aListenerIsToldToAHostThatHasItsCookie() throws IOException {
        assertThat(answer(client, challenged(client))).isEqualTo(new HelloPacket.Answer(VERSION, 4, 9, HOME, "a-line"));
    }

    @Test
    void theCookieOfAnotherPortIsNone() throws IOException {
        Cookie cookie = challenged(client);
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress(SERVED, 0))) {
            other.setSoTimeout(10_000);
            assertThat(answer(other, cookie)).isInstanceOf(HelloPacket.Challenge.class);
        }
        assertThat(answer(client, new Cookie(cookie.high(), cookie.low() + 1)))
                .isInstanceOf(HelloPacket.Challenge.class);
    }

    @Test
    void aHostOfAnotherVersionLearnsTheVersion() throws IOException {
        Cookie cookie = challenged(client);
        assertThat(answer(client, new HelloPacket.Question(VERSION + 70, 4, cookie).toBytes()))
                .isInstanceOfSatisfying(
                        HelloPacket.Challenge.class,
                        challenge -> assertThat(challenge.version()).isEqualTo(VERSION));
    }

    @Test
    void otherHostsAndShortQuestionsGetNoAnswer() throws IOException {
        byte[] question = new HelloPacket.Question(VERSION, 4, Cookie.NONE).toBytes();
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 0))) {
            other.setSoTimeout(SILENCE_MILLIS);
            assertThatThrownBy(() -> answer(other, question)).isInstanceOf(SocketTimeoutException.class);
        }
        client.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(() -> answer(client, Arrays.copyOf(question, 100)))
                .isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void theClientFindsAListenerUntilItIsClosed() throws Exception {
        var asking = new HelloClient(SelectorProvider.provider());
        Optional<Listed> found = asking.ask(address);
        assertThat(found).hasValueSatisfying(listed -> {
            assertThat(listed.home()).isEqualTo(HOME);
            assertThat(listed.channelLine()).isEqualTo("a-line");
            assertThat(listed.number()).isEqualTo(9);
        });
        answers.close();
        assertThat(asking.ask(address)).isEmpty();
    }

    @Test
    void aPortThatIsInUseIsToldToTheCaller() {
        assertThatThrownBy(() -> server.listen(address, 10)).isInstanceOf(IOException.class);
    }
}
