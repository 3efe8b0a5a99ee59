package io.urma4j.tools.demo;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import io.urma4j.tools.CommandFailure;
import org.jspecify.annotations.Nullable;

/**
 * One end of a conversation: messages with immediates, each known to both ends by its number, so that the receiver can
 * compare every byte. For one thread; its context closes what it made.
 */
final class Messenger {
    /** Which end sends: the two send different messages. */
    enum Side {
        HOME(0),
        INITIATOR(1);

        private final int bit;

        Side(int bit) {
            this.bit = bit;
        }
    }

    static final int MAX_BYTES = 8192;

    private static final int SLOTS = 8;
    private static final long OUT = (long) SLOTS * MAX_BYTES;
    private static final long EXPECTED = OUT + MAX_BYTES;

    private final UrmaContext context;
    private final LocalSegment memory;
    private final Completions sent;
    private final Completions received;
    private final Jetty jetty;
    private @Nullable TargetJetty peer;

    Messenger(UrmaContext context) {
        this.context = context;
        this.memory = context.register(context.allocate(EXPECTED + MAX_BYTES), Access.LOCAL_ONLY);
        this.sent = new Completions(context);
        this.received = new Completions(context);
        this.jetty = context.createJetty(
                sent.jfc(),
                context.createJfr(
                        received.jfc(), JfrConfig.builder().depth(SLOTS).build()),
                JfsConfig.DEFAULT);
        for (int slot = 0; slot < SLOTS; slot++) {
            offer(slot);
        }
    }

    private void offer(long slot) {
        if (!jetty.receive(memory, slot * MAX_BYTES, MAX_BYTES, slot)) {
            throw new IllegalStateException("the receive queue takes fewer than " + SLOTS + " buffers");
        }
    }

    /** The line by which the other end connects. */
    String share() {
        return jetty.share();
    }

    /** Connects to the end with this line. */
    void connect(String line) {
        if (peer != null) {
            peer.close();
        }
        peer = context.importJetty(SharedJetty.parse(line));
    }

    /** Sends message {@code number} of a side. */
    void send(Side side, int number) throws InterruptedException {
        int length = length(number);
        fill(side, number, OUT);
        if (!jetty.jfs().sendImmediate(peer, memory, OUT, length, immediate(side, number), number)) {
            throw new IllegalStateException("the send queue is full, though nothing is unfinished");
        }
        sent.awaitSuccess("message " + number);
    }

    /** Waits for a message, and checks that it is number {@code number} of a side, byte for byte. */
    void receive(Side side, int number) throws InterruptedException {
        CompletionBatch record = received.next();
        check(record.isSuccess(0), number, "ended with " + record.status(0));
        check(record.lengthBytes(0) == length(number), number, "has " + record.lengthBytes(0) + " bytes");
        check(
                record.hasImmediate(0) && record.immediate(0) == immediate(side, number),
                number,
                "has immediate " + record.immediate(0) + ", not " + immediate(side, number));
        long slot = record.userContext(0);
        fill(side, number, EXPECTED);
        var came = memory.memory().asSlice(slot * MAX_BYTES, length(number));
        check(came.mismatch(memory.memory().asSlice(EXPECTED, length(number))) < 0, number, "has other bytes");
        offer(slot);
    }

    private static void check(boolean right, int number, String what) {
        if (!right) {
            throw new CommandFailure("message " + number + " " + what);
        }
    }

    private void fill(Side side, int number, long at) {
        long place = (2L * number + side.bit) * MAX_BYTES;
        new Content.Generated(MAX_BYTES).fill(place, memory.memory().asSlice(at, length(number)));
    }

    /** From 1 byte to the most; odd steps, so that all alignments occur. */
    private static int length(int number) {
        return 1 + (number * 1117) % MAX_BYTES;
    }

    /** Fits into the 32 bits that some devices have. */
    private static long immediate(Side side, int number) {
        return 2L * number + side.bit + 1;
    }
}
