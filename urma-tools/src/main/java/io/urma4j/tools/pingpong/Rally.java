package io.urma4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.JettyDescriptor;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedMemory;
import io.urma4j.TargetJetty;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import io.urma4j.tools.CommandFailure;
import io.urma4j.udma.RoceEndpoint;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ping-pong as the programs of Linux do it: the client sends first, and each side returns every message that it
 * receives. So at the end the client has its own bytes again.
 */
final class Rally implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;
    private static final byte FILL = 0x7B; // of a client of Linux; one with -c begins each page with a zero
    private static final int QUEUE_KEY = 0x1111_1111; // of both sides' datagrams (WIRE §12.1)
    private static final int SENDS = 16;
    private static final int SPINS = 100;
    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final long SENT = 1; // user contexts
    private static final long RECEIVED = 2;

    private final UrmaContext context;
    private final boolean datagrams;
    private final int messageBytes;
    private final int mtuBytes;
    private final SharedMemory memory;
    private final LocalSegment buffer;
    private final Jfc jfc;
    private final Jfr jfr;
    private final Jetty jetty;
    private final CompletionBatch batch = new CompletionBatch(16);
    private @Nullable TargetJetty target;
    private int sent;
    private int received;

    private Rally(UrmaContext context, boolean datagrams, int messageBytes, int mtuBytes, int receives) {
        this.context = context;
        this.datagrams = datagrams;
        this.messageBytes = messageBytes;
        this.mtuBytes = mtuBytes;
        memory = context.allocate(Math.max(messageBytes, 1));
        buffer = context.register(memory, Access.LOCAL_ONLY);
        TransportMode mode = datagrams ? TransportMode.UM : TransportMode.RC;
        jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(receives + SENDS));
        jfr = context.createJfr(
                jfc,
                JfrConfig.builder()
                        .mode(mode)
                        .depth(receives)
                        .policy(datagrams ? TokenPolicy.PLAIN_TEXT : TokenPolicy.NONE)
                        .token(Token.of(QUEUE_KEY))
                        .build());
        jetty = context.createJetty(
                jfc, jfr, JfsConfig.builder().mode(mode).depth(SENDS).build());
        for (int i = 0; i < receives; i++) {
            receive();
        }
    }

    /** A queue with its receives, not yet connected. */
    static Rally of(UrmaContext context, boolean datagrams, int messageBytes, int mtuBytes, int receives) {
        long most = context.device().attributes().ports().getFirst().mtuBytes();
        if (datagrams && messageBytes > most) {
            throw new CommandFailure("a datagram has at most " + most + " bytes here, not " + messageBytes);
        }
        return new Rally(context, datagrams, messageBytes, mtuBytes, receives);
    }

    /** The address that the other side needs. */
    Destination destination() {
        JettyDescriptor descriptor = jetty.descriptor();
        RoceEndpoint endpoint = RoceEndpoint.of(descriptor)
                .orElseThrow(() -> new CommandFailure("no other program can reach this device: "
                        + context.device().attributes().ioPath()));
        return new Destination(endpoint.qpNumber(), endpoint.firstPsn(), endpoint.gid());
    }

    /** Connects to the peer: from now on messages may arrive. */
    void connect(Destination peer) {
        RoceEndpoint endpoint = new RoceEndpoint(peer.gid(), peer.queue(), peer.psn(), mtuBytes);
        target = datagrams
                ? context.importJetty(endpoint.toDatagramDescriptor(), Token.of(QUEUE_KEY))
                : context.importJetty(endpoint.toDescriptor(jetty.jfs().orderType()), null);
        if (!datagrams) {
            jetty.bind(target);
        }
    }

    /**
     * Runs the ping-pong.
     *
     * @param serves whether this side sends the first message
     * @param patience the timeout of each message
     * @return the total time, in nanoseconds
     */
    long play(int iterations, boolean serves, Duration patience) {
        memory.segment().fill(FILL);
        for (int page = 0; page < messageBytes; page += PAGE_BYTES) {
            memory.segment().set(JAVA_BYTE, page, (byte) 0);
        }
        long start = System.nanoTime();
        long last = start;
        if (serves) {
            send();
        }
        int ours = serves ? 1 : 0;
        int idle = 0;
        while (sent < iterations || received < iterations) {
            int before = received;
            if (poll() > 0) {
                last = System.nanoTime();
                idle = 0;
            } else if (++idle > SPINS) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new CommandFailure("interrupted");
                }
                checkConnection();
                Thread.yield(); // the peer may need this very core
            }
            if (System.nanoTime() - last > patience.toNanos()) {
                throw new CommandFailure("no packet arrived for " + patience.toSeconds() + " s, after " + sent
                        + " messages sent and " + received + " received; "
                        + (datagrams
                                ? "datagrams may be lost, and the other program must be ibv_ud_pingpong or alike"
                                : "the other program must be ibv_rc_pingpong or alike"));
            }
            for (int i = before; i < received; i++) {
                if (ours < iterations) {
                    send();
                    ours++;
                }
            }
        }
        long nanos = System.nanoTime() - start;
        check();
        return nanos;
    }

    private int poll() {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                throw failure(batch.completion(i));
            }
            if (batch.isReceive(i)) {
                if (batch.lengthBytes(i) != messageBytes) {
                    tellTheOther();
                    throw mismatch("a message of " + batch.lengthBytes(i) + " bytes came, not of " + messageBytes);
                }
                received++;
                receive();
            } else {
                sent++;
            }
        }
        return count;
    }

    private CommandFailure failure(Completion completion) {
        return switch (completion.status()) {
            case LOC_LEN_ERR -> mismatch("a message of more than " + messageBytes + " bytes came");
            case REM_OPERATION_ERR, REM_UNSUPPORTED_REQ_ERR ->
                mismatch(
                        "the other side refused a message of " + messageBytes + " bytes (" + completion.status() + ")");
            default ->
                new CommandFailure("a message failed after " + sent + " sent and " + received + " received: "
                        + completion.status());
        };
    }

    private static CommandFailure mismatch(String what) {
        return new CommandFailure(what + ": both sides need the same -s and -m");
    }

    /** Our device may refuse a packet of the other side before it is a message, and then reports the peer as lost. */
    private void checkConnection() {
        for (var event = context.events().poll();
                event.isPresent();
                event = context.events().poll()) {
            if (event.get().type() == AsyncEvent.Type.PEER_LOST) {
                throw mismatch("a message of the other side was refused");
            }
        }
    }

    /** A message that arrived is too short: the answer, with our length, lets the other side detect this, too. */
    private void tellTheOther() {
        send();
        long start = System.nanoTime();
        while (jfc.poll(batch) == 0 && System.nanoTime() - start < FAREWELL.toNanos()) {
            Thread.onSpinWait();
        }
    }

    /** Both sides returned what they received, so the bytes must be those that a client begins with. */
    private void check() {
        MemorySegment bytes = memory.segment();
        for (int i = 0; i < messageBytes; i++) {
            byte found = bytes.get(JAVA_BYTE, i);
            if (found != FILL && (i % PAGE_BYTES != 0 || found != 0)) {
                throw new CommandFailure(String.format("byte %d arrived as 0x%02x", i, found));
            }
        }
    }

    private void send() {
        if (!jetty.jfs().send(datagrams ? target : null, buffer, 0, messageBytes, SENT)) {
            throw new CommandFailure("the send queue is full");
        }
    }

    private void receive() {
        if (!jfr.receive(buffer, 0, messageBytes, RECEIVED)) {
            throw new CommandFailure("the receive queue is full");
        }
    }

    @Override
    public void close() {
        if (jetty.boundTarget().isPresent()) {
            jetty.unbind();
        }
        jetty.close();
        if (target != null) {
            target.close();
        }
        jfr.close();
        jfc.close();
        buffer.close();
        memory.close();
    }

    @Override
    public String toString() {
        return "rally of " + Objects.toString(jetty);
    }
}
