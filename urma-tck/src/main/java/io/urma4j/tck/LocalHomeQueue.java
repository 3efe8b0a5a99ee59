package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.Jfr;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A JFR or Jetty of a home in this process. */
final class LocalHomeQueue implements HomeQueue {
    private final UrmaContext context;
    private final Jfc jfc;
    private final Jfr jfr;
    private final @Nullable Jetty jetty;
    private final Poller received;
    private final @Nullable SendSide sendSide;

    LocalHomeQueue(UrmaContext context, Jfc jfc, Jfr jfr, @Nullable Jetty jetty, @Nullable Jfc sendJfc) {
        this.context = context;
        this.jfc = jfc;
        this.jfr = jfr;
        this.jetty = jetty;
        this.received = new Poller(jfc);
        this.sendSide = jetty == null || sendJfc == null ? null : new SendSide(context, sendJfc, jetty.jfs());
    }

    Jfc jfc() {
        return jfc;
    }

    Jfr jfr() {
        return jfr;
    }

    /** The Jetty as a send queue. */
    SendSide sendSide() {
        return Objects.requireNonNull(sendSide, "this is a JFR alone");
    }

    /** The Jetty. */
    Jetty jetty() {
        return Objects.requireNonNull(jetty, "this is a JFR alone");
    }

    @Override
    public SharedJetty shared() {
        return jetty == null
                ? new SharedJetty(jfr.descriptor(), jfr.token())
                : new SharedJetty(jetty.descriptor(), jetty.token());
    }

    @Override
    public int id() {
        return jetty == null ? jfr.id() : jetty.id();
    }

    @Override
    public boolean receive(HomeSegment buffer, long offset, long lengthBytes, long userContext) {
        return jfr.receive(((LocalHomeSegment) buffer).segment(), offset, lengthBytes, userContext);
    }

    @Override
    public boolean receiveScattered(HomeSegment buffer, long[] ranges, long userContext) {
        var segment = ((LocalHomeSegment) buffer).segment();
        var list = new WorkRequestList(1, ranges.length / 2).receive(userContext);
        for (int i = 0; i < ranges.length; i += 2) {
            list.into(segment, ranges[i], ranges[i + 1]);
        }
        int added = jfr.receive(list);
        list.refusal().ifPresent(refusal -> {
            throw refusal;
        });
        return added == 1;
    }

    @Override
    public Outcome next() {
        return received.next();
    }

    @Override
    public List<Outcome> nextOnes(int count) {
        return received.next(count);
    }

    @Override
    public List<Outcome> within(Duration time) {
        return received.within(time);
    }

    @Override
    public void rxThreshold(int threshold) {
        jfr.rxThreshold(threshold);
    }

    @Override
    public ReceiveState receiveState() {
        return jfr.state();
    }

    @Override
    public void modifyReceive(ReceiveState next) {
        jfr.modify(next);
    }

    @Override
    public QueueState state() {
        return jetty().state();
    }

    @Override
    public void modify(QueueState next) {
        jetty().modify(next);
    }

    @Override
    public void reset() {
        sendSide().drainAndFlush();
        jetty().modify(QueueState.RESET);
    }

    @Override
    public void bind(SharedJetty peer) {
        TargetJetty target = context.importJetty(peer);
        try {
            jetty().bind(target);
        } catch (RuntimeException e) {
            target.close();
            throw e;
        }
    }

    @Override
    public void unbind() {
        jetty().unbind();
    }

    @Override
    public Outcome send(SharedJetty peer, byte[] message) {
        return send(peer, message, PostFlags.DEFAULT);
    }

    @Override
    public Outcome sendSolicited(SharedJetty peer, byte[] message) {
        return send(peer, message, PostFlags.DEFAULT.solicited());
    }

    private Outcome send(SharedJetty peer, byte[] message, PostFlags flags) {
        var memory = context.allocate(message.length);
        try (var buffer = context.register(memory, Access.LOCAL_ONLY);
                var target = context.importJetty(peer)) {
            MemorySegment.copy(MemorySegment.ofArray(message), 0, buffer.memory(), 0, message.length);
            var to = jetty().jfs().mode() == TransportMode.RC ? null : target;
            jetty().jfs().send(Opcode.SEND, to, buffer, 0, message.length, 0, message.length, flags);
            return sendSide().awaitCompletion();
        }
    }

    @Override
    public long counter(String name) {
        return jfr.counters().get(name);
    }

    @Override
    public boolean isJfcValid() {
        return jfc.isValid();
    }

    @Override
    public void close() {
        if (jetty == null) {
            jfr.close();
        } else {
            jetty.close();
        }
    }

    @Override
    public String toString() {
        return jetty == null ? jfr.toString() : jetty.toString();
    }
}
