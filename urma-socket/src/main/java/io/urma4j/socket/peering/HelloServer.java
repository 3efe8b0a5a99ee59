package io.urma4j.socket.peering;

import io.urma4j.PeerId;
import io.urma4j.socket.peering.HelloPacket.Cookie;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Answers the datagrams of other hosts that ask for listeners. It keeps nothing of them. Safe for any thread. */
final class HelloServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HelloServer.class.getName());
    private static final int AT_ONCE = 64; // datagrams of one socket, before the others have their turn
    private static final long COOKIE_SECONDS = 30;

    private final SelectorProvider jdk;
    private final Predicate<InetAddress> isServed;
    private final PeerId home;
    private final String channelLine;
    private final Selector selector;
    private final Mac mac; // of the thread below, as the two that follow
    private final ByteBuffer incoming = ByteBuffer.allocate(HelloPacket.QUESTION_BYTES + 1);
    private final ByteBuffer macInput = ByteBuffer.allocate(16 + Integer.BYTES + Long.BYTES);

    /**
     * Without listeners yet.
     *
     * @param isServed whether an address gets answers
     * @param channelLine of this process
     */
    HelloServer(SelectorProvider jdk, Predicate<InetAddress> isServed, PeerId home, String channelLine)
            throws IOException {
        this.jdk = jdk;
        this.isServed = isServed;
        this.home = home;
        this.channelLine = channelLine;
        this.mac = mac();
        this.selector = jdk.openSelector();
        Thread.ofPlatform().daemon().name("urma-socket-hello").start(this::run);
    }

    private static Mac mac() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        try {
            Mac made = Mac.getInstance("HmacSHA256");
            made.init(new SecretKeySpec(secret, "HmacSHA256"));
            return made;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each JDK has HmacSHA256", e);
        }
    }

    /**
     * Answers for a listener from now on.
     *
     * @throws IOException if the UDP port of that number cannot be bound
     */
    Answers listen(InetSocketAddress bound, long number) throws IOException {
        DatagramChannel channel = jdk.openDatagramChannel();
        try {
            channel.configureBlocking(false);
            channel.bind(bound);
            channel.register(selector, SelectionKey.OP_READ, number);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        selector.wakeup();
        return () -> end(channel);
    }

    private void end(DatagramChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
        }
        selector.wakeup(); // which frees the port
    }

    private void run() {
        while (selector.isOpen()) {
            try {
                selector.select(this::answer);
            } catch (ClosedSelectorException e) {
                return;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "no other host finds a listener of this process any more", e);
                return;
            }
        }
    }

    private void answer(SelectionKey key) {
        try {
            for (int i = 0; i < AT_ONCE && answer((DatagramChannel) key.channel(), (Long) key.attachment()); i++) {
                // until none is left
            }
        } catch (IOException e) { // the listener is closed, or the answer could not be sent
            LOG.log(System.Logger.Level.DEBUG, () -> "a host has no answer: " + e);
        }
    }

    private boolean answer(DatagramChannel channel, long listener) throws IOException {
        if (!(channel.receive(incoming.clear()) instanceof InetSocketAddress from)) {
            return false;
        }
        if (isServed.test(from.getAddress())
                && HelloPacket.parse(incoming.flip()).orElse(null) instanceof HelloPacket.Question question) {
            channel.send(ByteBuffer.wrap(answer(question, from, listener).toBytes()), from);
        }
        return true;
    }

    private HelloPacket answer(HelloPacket.Question question, InetSocketAddress from, long listener) {
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()) / COOKIE_SECONDS;
        Cookie cookie = cookie(from, now);
        boolean isProven = question.cookie().equals(cookie) || question.cookie().equals(cookie(from, now - 1));
        if (!isProven || question.version() != ArenaLayout.VERSION) {
            return new HelloPacket.Challenge(ArenaLayout.VERSION, question.request(), cookie);
        }
        return new HelloPacket.Answer(ArenaLayout.VERSION, question.request(), listener, home, channelLine);
    }

    private Cookie cookie(InetSocketAddress from, long time) {
        macInput.clear()
                .put(from.getAddress().getAddress())
                .putInt(from.getPort())
                .putLong(time)
                .flip();
        mac.update(macInput);
        ByteBuffer made = ByteBuffer.wrap(mac.doFinal()).order(ByteOrder.BIG_ENDIAN);
        return new Cookie(made.getLong(), made.getLong());
    }

    @Override
    public void close() {
        try {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
        }
    }

    @Override
    public String toString() {
        return "answers for " + (selector.isOpen() ? selector.keys().size() : 0) + " listeners of " + home;
    }
}
