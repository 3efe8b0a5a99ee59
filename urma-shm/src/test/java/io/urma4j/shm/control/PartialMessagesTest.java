package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Jetty;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.shm.ring.Answer;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.tck.Patience;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A message of several slots, whose receiver changes after the first of them has arrived. */
@Timeout(60)
class PartialMessagesTest {
    private static final int SEND = Opcode.SEND.value();
    private static final int CHUNK = RingLayout.SLOT_PAYLOAD_BYTES;
    private static final int WHOLE = SlotFlags.FIRST | SlotFlags.LAST;
    private static final int SOURCE = HostileRing.QUEUE;

    @TempDir
    private Path directory;

    private Urma urma;
    private RingVictim victim;
    private HostileRing sender;

    @BeforeEach
    void meet() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
        UrmaContext context = urma.device("shm0").openContext();
        victim = new RingVictim(context);
    }

    @AfterEach
    void part() throws Exception {
        sender.close();
        victim.close();
        urma.close();
    }

    private Jetty jetty(Jfr receives, TransportMode mode) throws Exception {
        sender = new HostileRing(directory, victim.context, mode);
        return victim.context.createJetty(
                victim.jfc, receives, JfsConfig.builder().mode(mode).build());
    }

    /** Publishes a slot of a message of two, and returns its answer. */
    private int answerTo(int flags, int source, int target, int totalBytes) {
        long slot = sender.toVictim.position();
        int length = Math.min(CHUNK, totalBytes);
        sender.toVictim.publish(SEND, flags, source, target, length, 0, totalBytes, 0);
        sender.wakeVictim();
        Patience.await("the answer", () -> {
            victim.poll();
            return sender.toVictim.answerTo(slot) != 0;
        });
        return sender.toVictim.answerTo(slot);
    }

    private int first(int target) {
        return answerTo(SlotFlags.FIRST, SOURCE, target, 2 * CHUNK);
    }

    private int last(int target) {
        return answerTo(SlotFlags.LAST, SOURCE, target, 2 * CHUNK);
    }

    private void assertNotDelivered(Jfr receives) {
        victim.poll();
        assertThat(victim.records).isEmpty();
        assertThat(victim.events).isEmpty();
        assertThat(receives.counters().get("waiting")).isEqualTo(1);
    }

    /** S4.2, S6.9: the receive belongs to the JFR, which lives on. */
    @Test
    void aMessageToAJettyThatIsClosedMeanwhileHasNoRecord() throws Exception {
        Jetty jetty = jetty(victim.jfr, TransportMode.RM);
        victim.receive(0);
        assertThat(first(jetty.id())).isEqualTo(Answer.TAKEN);

        jetty.close();

        assertThat(victim.jfr.counters().get("waiting")).as("at once").isEqualTo(1);
        assertThat(last(jetty.id())).isIn(Answer.FAILED, Answer.HELD);
        assertNotDelivered(victim.jfr);
    }

    /** S6.5: it would be the record of a message that arrived in ERROR. */
    @Test
    void aMessageToAJettyThatFailsMeanwhileIsRefused() throws Exception {
        Jetty jetty = jetty(victim.jfr, TransportMode.RM);
        victim.receive(0);
        assertThat(first(jetty.id())).isEqualTo(Answer.TAKEN);
        jetty.modify(QueueState.ERROR);
        victim.await("the marker", record -> record.status().isMarker());
        victim.events.clear();

        assertThat(last(jetty.id())).isEqualTo(Answer.FAILED);
        assertNotDelivered(victim.jfr);
        jetty.close();
    }

    /** A bound Jetty. A message that has arrived in part has taken its only receive. */
    private Jetty boundJettyInAMessage() throws Exception {
        Jfr receives = victim.context.createJfr(
                victim.jfc, JfrConfig.builder().mode(TransportMode.RC).build());
        Jetty jetty = jetty(receives, TransportMode.RC);
        bind(jetty);
        receives.receive(victim.buffers, RingVictim.bufferAt(0), RingVictim.BUFFER, 1);
        assertThat(first(jetty.id())).isEqualTo(Answer.TAKEN);
        return jetty;
    }

    /** S5.8. */
    @Test
    void aMessageToAJettyThatIsUnboundMeanwhileIsNotDelivered() throws Exception {
        Jetty jetty = boundJettyInAMessage();

        unbind(jetty);

        assertThat(last(jetty.id())).isEqualTo(Answer.NOT_READY);
        assertNotDelivered(jetty.jfr());
        jetty.close();
        jetty.jfr().close();
    }

    /** S6.13: also if the Jetty is bound to the same peer again. */
    @Test
    void aMessageOfTheLastConnectionDoesNotGoOnInTheNext() throws Exception {
        Jetty jetty = boundJettyInAMessage();

        unbind(jetty);
        bind(jetty);

        assertThat(last(jetty.id())).isEqualTo(Answer.NOT_READY);
        assertNotDelivered(jetty.jfr());
        assertThat(answerTo(WHOLE | SlotFlags.RESTART, SOURCE, jetty.id(), 8)).isEqualTo(Answer.TAKEN);
        victim.await("the message of the new life", record -> record.lengthBytes() == 8);
        unbind(jetty);
        jetty.close();
        jetty.jfr().close();
    }

    private void bind(Jetty jetty) throws Exception {
        var bound = jetty.bindAsync(sender.target);
        sender.serve();
        assertThat(bound).succeedsWithin(Patience.LIMIT);
    }

    private void unbind(Jetty jetty) throws Exception {
        var unbound = jetty.unbindAsync();
        sender.serve();
        assertThat(unbound).succeedsWithin(Patience.LIMIT);
        victim.poll();
        victim.events.clear(); // it went through ERROR
    }

    /** S10.5: the message is not consumed, and its receive is not lost. */
    @Test
    void aMessageWhoseJfcFillsMeanwhileIsNotConsumed() throws Exception {
        sender = new HostileRing(directory, victim.context);
        var shallow = victim.context.createJfc(JfcConfig.DEFAULT.withDepth(1));
        Jfr receives =
                victim.context.createJfr(shallow, JfrConfig.builder().depth(2).build());
        receives.receive(victim.buffers, RingVictim.bufferAt(0), RingVictim.BUFFER, 1);
        receives.receive(victim.buffers, RingVictim.bufferAt(1), RingVictim.BUFFER, 2);
        assertThat(first(receives.id())).isEqualTo(Answer.TAKEN);
        assertThat(answerTo(WHOLE, SOURCE + 1, receives.id(), 8)).isEqualTo(Answer.TAKEN);

        assertThat(last(receives.id())).isEqualTo(Answer.NOT_READY);

        assertThat(shallow.isValid()).isFalse();
        assertThat(receives.counters().get("waiting")).isEqualTo(1);
        receives.close();
        shallow.close();
    }
}
