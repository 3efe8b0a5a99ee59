package io.urma4j.examples.kvcache;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.PostFlags;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A Jetty of one side, and its short messages to and from the other. For one thread; its context closes what it made. */
final class Link {
    /** Messages that the other side may send before this one receives them. */
    static final int SLOTS = 8;

    private static final long SLOT_BYTES = Request.MAX_BYTES;
    private static final long OUT = SLOTS * SLOT_BYTES;
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(30); // longer than that of the queue

    private final UrmaContext context;
    private final LocalSegment memory;
    private final Records sent;
    private final Records received;
    private final Jetty jetty;
    private @Nullable TargetJetty peer;

    Link(UrmaContext context) {
        this.context = context;
        this.memory = context.register(context.allocate(OUT + SLOT_BYTES), Access.LOCAL_ONLY);
        this.sent = new Records(context);
        this.received = new Records(context);
        Jfr jfr = context.createJfr(
                received.jfc(), JfrConfig.builder().depth(SLOTS).build());
        this.jetty = context.createJetty(sent.jfc(), jfr, JfsConfig.DEFAULT);
        for (int slot = 0; slot < SLOTS; slot++) {
            offer(slot);
        }
    }

    private void offer(long slot) {
        if (!jetty.receive(memory, slot * SLOT_BYTES, SLOT_BYTES, slot)) {
            throw new IllegalStateException("the receive queue takes fewer than " + SLOTS + " buffers");
        }
    }

    /** The line by which the other side connects. */
    String share() {
        return jetty.share();
    }

    /** Connects to the other side's line. */
    void connect(String line) {
        peer = context.importJetty(SharedJetty.parse(line));
    }

    TargetJetty peer() {
        if (peer == null) {
            throw new IllegalStateException("not connected yet");
        }
        return peer;
    }

    /** The send queue, for operations whose records nothing but their user awaits. */
    Jetty jetty() {
        return jetty;
    }

    /** The records of the send queue. */
    Records sent() {
        return sent;
    }

    /** Where the next message is made. */
    MemorySegment out() {
        return memory.memory().asSlice(OUT, SLOT_BYTES);
    }

    /** Sends the first bytes of {@link #out}; returns when the other side has them. */
    void send(long lengthBytes) throws InterruptedException {
        WorkRequestList list = new WorkRequestList(1, 1);
        list.send(peer(), 0).from(memory, OUT, lengthBytes).flags(PostFlags.DEFAULT);
        if (jetty.jfs().post(list) < 1) {
            throw list.refusal().orElseThrow(() -> new IllegalStateException("the queue is full, though it is empty"));
        }
        if (!sent.await(SEND_TIMEOUT)) {
            throw new CacheException("a message of " + lengthBytes + " bytes has no record");
        }
        if (!sent.batch().isSuccess(0)) {
            throw new CacheException(
                    "a message to the other side ended with " + sent.batch().status(0));
        }
    }

    /** What {@link #receive} hands a message to. */
    interface Receiver {
        /** The bytes are valid until the return. */
        void message(MemorySegment bytes, long immediate);
    }

    /** Waits for a message; false if none comes in time. */
    boolean receive(Duration timeout, Receiver receiver) throws InterruptedException {
        if (!received.await(timeout)) {
            return false;
        }
        CompletionBatch batch = received.batch();
        if (!batch.isSuccess(0)) {
            throw new CacheException("a receive ended with " + batch.status(0));
        }
        long slot = batch.userContext(0);
        MemorySegment bytes = memory.memory().asSlice(slot * SLOT_BYTES, batch.lengthBytes(0));
        receiver.message(bytes, batch.hasImmediate(0) ? batch.immediate(0) : -1);
        offer(slot);
        return true;
    }
}
