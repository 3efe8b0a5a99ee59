package io.urma4j.socket.peering;

import io.urma4j.PeerId;
import io.urma4j.socket.peering.HelloPacket.Cookie;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks other hosts for listeners. Safe for any thread. */
final class HelloClient {
    private static final System.Logger LOG = System.getLogger(HelloClient.class.getName());

    /** How long an answer may take, before the question is asked again. A host that does not answer is slow, and not asked again soon. */
    private static final int[] WAITS_MILLIS = {50, 150, 400};

    /** Packets that are read after a question. */
    private static final int MOST_PACKETS = 16;

    private final SelectorProvider jdk;
    private final SecureRandom random = new SecureRandom();

    HelloClient(SelectorProvider jdk) {
        this.jdk = jdk;
    }

    /** A listener that has answered. It is found again by a question alone, so that nothing is held for it. */
    private record Found(PeerId home, String channelLine, long number) implements Listed {
        @Override
        public boolean isOpen() {
            return true; // an offer to one that is closed is not taken
        }

        @Override
        public void close() {
            // holds nothing
        }
    }

    /**
     * Asks for a listener at this address; empty if there is none, or it does not answer.
     *
     * @throws RefusedException if its process has another version
     */
    Optional<Listed> ask(InetSocketAddress remote) throws InterruptedException, RefusedException {
        try (DatagramSocket socket = jdk.openDatagramChannel().socket()) {
            socket.connect(remote);
            return Optional.ofNullable(ask(socket));
        } catch (PortUnreachableException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted() || e instanceof InterruptedIOException) {
                throw new InterruptedException(e.getMessage());
            }
            LOG.log(System.Logger.Level.DEBUG, () -> remote + " cannot be asked for a listener: " + e);
            return Optional.empty();
        }
    }

    private @Nullable Listed ask(DatagramSocket socket) throws IOException, RefusedException {
        long request = random.nextLong();
        Cookie cookie = Cookie.NONE;
        for (int waitMillis : WAITS_MILLIS) {
            send(socket, new HelloPacket.Question(ArenaLayout.VERSION, request, cookie));
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
            for (int i = 0; i < MOST_PACKETS; i++) {
                HelloPacket packet = receive(socket, until);
                if (packet == null) {
                    break;
                }
                switch (packet) {
                    case HelloPacket.Challenge challenge
                    when challenge.request() == request -> {
                        if (challenge.version() != ArenaLayout.VERSION) {
                            throw RefusedException.ofVersion(challenge.version());
                        }
                        if (!challenge.cookie().equals(cookie)) {
                            cookie = challenge.cookie();
                            send(socket, new HelloPacket.Question(ArenaLayout.VERSION, request, cookie));
                        }
                    }
                    case HelloPacket.Answer answer
                    when answer.request() == request -> {
                        return new Found(answer.home(), answer.line(), answer.listener());
                    }
                    default -> LOG.log(System.Logger.Level.TRACE, () -> "no answer: " + packet);
                }
            }
        }
        return null;
    }

    private static void send(DatagramSocket socket, HelloPacket packet) throws IOException {
        byte[] bytes = packet.toBytes();
        socket.send(new DatagramPacket(bytes, bytes.length));
    }

    /** The next packet, or null if none comes in time. */
    private static @Nullable HelloPacket receive(DatagramSocket socket, long until) throws IOException {
        var packet = new DatagramPacket(new byte[HelloPacket.QUESTION_BYTES + 1], HelloPacket.QUESTION_BYTES + 1);
        try {
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                socket.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
                socket.receive(packet);
                Optional<HelloPacket> parsed =
                        HelloPacket.parse(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()));
                if (parsed.isPresent()) {
                    return parsed.get();
                }
            }
            return null;
        } catch (SocketTimeoutException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return "questions for listeners of other hosts";
    }
}
