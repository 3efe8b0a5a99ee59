package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.Access;
import io.urma4j.BatchCloseException;
import io.urma4j.CompletionBatch;
import io.urma4j.ContextObject;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** SEMANTICS §4: closing many objects, and whole trees. */
public abstract class ClosingContract extends Contract {
    protected ClosingContract(String device) {
        super(device);
    }

    /** S4.4: a batch is closed in its order: users before what they use. */
    @Rule("S4.4")
    @Test
    void batchIsClosedInItsOrder() {
        var context = pair.initiator().context();
        var jfce = context.createJfce();
        var jfc = context.createJfc(JfcConfig.DEFAULT, jfce);
        var jfr = context.createJfr(jfc, JfrConfig.builder().build());
        var jetty = context.createJetty(jfc, jfr, JfsConfig.DEFAULT);
        var id = context.createTokenId();
        var memory = context.allocate(4096);
        var segment = context.register(memory, SegmentConfig.of(Access.READ).withTokenId(id));

        context.closeAll(List.of(jetty, jfr, jfc, jfce, segment, id, memory));

        assertRefused(UrmaStatus.EINVAL, () -> jfc.poll(new CompletionBatch(1))).hasMessageContaining("closed");
        assertRefused(UrmaStatus.EINVAL, memory::segment).hasMessageContaining("closed");
        context.closeAll(List.of(jetty, memory)); // closing twice is allowed
    }

    /** S4.4: it stops at the first refusal, and reports its index; objects before are closed, those behind are not. */
    @Rule("S4.4")
    @Test
    void batchStopsAtTheFirstThatRefusesAndSaysWhere() {
        var context = pair.initiator().context();
        var first = context.createJfc(JfcConfig.DEFAULT);
        var used = context.createJfc(JfcConfig.DEFAULT);
        var user = context.createJfs(used, JfsConfig.DEFAULT);
        var last = context.createJfc(JfcConfig.DEFAULT);

        var refusal = catchThrowableOfType(
                BatchCloseException.class, () -> context.closeAll(List.of(first, used, last, user)));

        assertThat(refusal.index()).isEqualTo(1);
        assertThat(refusal.status()).isEqualTo(UrmaStatus.EAGAIN);
        assertThat(refusal).hasMessageContaining("element 1 of a batch of 4").hasMessageContaining(user.toString());
        assertRefused(UrmaStatus.EINVAL, () -> first.poll(new CompletionBatch(1)));
        assertThat(used.poll(new CompletionBatch(1))).isZero();
        assertThat(last.poll(new CompletionBatch(1))).isZero();
        context.closeAll(List.of(user, used, last));
    }

    /** S4.4: a null or foreign element: nothing is closed. */
    @Rule({"S4.4", "S2.2"})
    @Test
    void batchWithANullOrForeignElementClosesNothing() {
        var context = pair.initiator().context();
        var mine = context.createJfc(JfcConfig.DEFAULT);
        var foreign = pair.anotherInitiator().context().createJfc(JfcConfig.DEFAULT);
        List<ContextObject> withNull = new ArrayList<>(Arrays.asList(mine, null));

        assertRefused(UrmaStatus.EINVAL, () -> context.closeAll(withNull)).hasMessageContaining("element 1");
        assertRefused(UrmaStatus.EINVAL, () -> context.closeAll(List.of(mine, foreign)))
                .hasMessageContaining("element 1")
                .hasMessageContaining("belongs to");

        assertThat(mine.poll(new CompletionBatch(1))).isZero();
        assertThat(foreign.poll(new CompletionBatch(1))).isZero();
    }

    /** S4.4: an empty batch is closed at once. */
    @Rule("S4.4")
    @Test
    void emptyBatchIsClosed() {
        assertThatCode(() -> pair.initiator().context().closeAll(List.of())).doesNotThrowAnyException();
    }

    /** S4.1: {@code closeIfUnused} closes an unused object. */
    @Rule({"S4.1", "S4.2"})
    @Test
    void unusedContextIsClosedByTheRefusingForm() {
        var context = pair.device().openContext();
        var jfc = context.createJfc(JfcConfig.DEFAULT);

        assertRefused(UrmaStatus.EAGAIN, context::closeIfUnused).hasMessageContaining(jfc.toString());
        assertThat(jfc.poll(new CompletionBatch(1))).as("it lives on").isZero();
        jfc.close();
        context.closeIfUnused();

        assertRefused(UrmaStatus.EINVAL, context::createJfce).hasMessageContaining("closed");
        context.closeIfUnused();
        context.close();
    }

    /** S4.1: a whole tree closes though a Jetty is bound, work is in flight, and other contexts import its memory. */
    @Rule("S4.1")
    @Test
    void wholeTreeClosesWhateverIsUnderWay() {
        var other = pair.device().openContext();
        var jfce = other.createJfce();
        var jfc = other.createJfc(JfcConfig.DEFAULT, jfce);
        var jfr = other.createJfr(jfc, Pair.RC_RECEIVE);
        var jetty = other.createJetty(jfc, jfr, Pair.RC_SEND);
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);
        jetty.bind(other.importJetty(there.shared()));
        var segment = other.register(other.allocate(4096), Access.READ_WRITE);
        pair.home().importSegment(new SharedSegment(segment.descriptor(), segment.token()));
        var source = other.register(other.allocate(64), Access.LOCAL_ONLY);
        jetty.jfs().send(null, source, 0, 8, 1); // waits: the peer is not bound to us, and has no receive
        other.createNotifier();
        jfce.channel();

        assertThatCode(other::close).doesNotThrowAnyException();

        assertThat(segment.revocation())
                .hasValueSatisfying(
                        revocation -> assertThat(revocation.isComplete()).isTrue());
        assertRefused(UrmaStatus.EINVAL, () -> jetty.jfs().send(null, source, 0, 8, 1))
                .hasMessageContaining("closed");
    }
}
