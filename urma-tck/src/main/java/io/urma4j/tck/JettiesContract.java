package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.ContextOptions;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.OrderType;
import io.urma4j.QueueState;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SEMANTICS §5: modes, order types, import and bind. */
public abstract class JettiesContract extends Contract {
    protected JettiesContract(String device) {
        super(device);
    }

    private boolean has(TransportMode mode) {
        return pair.device().attributes().capabilities().modes().contains(mode);
    }

    /** S5.2: the order types of a mode, and their effective values. */
    @Rule("S5.2")
    @ParameterizedTest
    @CsvSource({"RM,DEF,OI", "RM,OI,OI", "RC,DEF,OL", "RC,OT,OT", "RC,OL,OL", "RC,NO,NO", "UM,DEF,NO", "UM,NO,NO"})
    void legalOrderTypeIsReportedAsItsEffectiveOne(TransportMode mode, OrderType asked, OrderType effective) {
        assumeTrue(has(mode), "no mode " + mode + " here");
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(
                jfc, JfrConfig.builder().mode(mode).orderType(asked).build());
        var jetty = context.createJetty(
                jfc, jfr, JfsConfig.builder().mode(mode).orderType(asked).build());

        assertThat(jetty.jfs().orderType()).isEqualTo(effective);
        assertThat(jetty.descriptor().orderType()).isEqualTo(effective);
        assertThat(jetty.descriptor().mode()).isEqualTo(mode);
    }

    /** S5.2: everything else is refused. */
    @Rule("S5.2")
    @ParameterizedTest
    @CsvSource({"RM,OT", "RM,OL", "RM,NO", "RC,OI", "UM,OT", "UM,OI", "UM,OL"})
    void illegalOrderTypeIsRefused(TransportMode mode, OrderType orderType) {
        assumeTrue(has(mode), "no mode " + mode + " here");
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.createJfr(
                                jfc,
                                JfrConfig.builder()
                                        .mode(mode)
                                        .orderType(orderType)
                                        .build()))
                .hasMessageContaining(orderType.name());
    }

    /** S5.1: a mode that the device does not list is refused. */
    @Rule("S5.1")
    @Test
    void modeThatTheDeviceLacksIsRefused() {
        var modes = pair.device().attributes().capabilities().modes();
        var jfc = pair.initiator().queue().jfc();

        for (TransportMode mode : TransportMode.values()) {
            if (!modes.contains(mode)) {
                assertRefused(
                                UrmaStatus.EINVAL,
                                () -> pair.initiator()
                                        .context()
                                        .createJfs(
                                                jfc,
                                                JfsConfig.builder().mode(mode).build()))
                        .hasMessageContaining(mode.name());
            }
        }
    }

    /** S5.1: one RM queue sends to many targets, each work request to the one that it names. */
    @Rule("S5.1")
    @Test
    void oneRmQueueSendsToManyTargets() {
        var first = pair.receiver(4096);
        var second = pair.receiver(4096);
        first.receive(1, 64, 1);
        second.receive(1, 64, 2);
        var message = pair.initiator().buffer(64, new Payload(5));

        assertThat(pair.initiator()
                        .queue()
                        .send(second.target(), message, 0, 64)
                        .isSuccess())
                .isTrue();
        assertThat(pair.initiator().queue().send(first.target(), message, 0, 32).isSuccess())
                .isTrue();

        assertThat(second.queue().next()).returns(2L, Outcome::userContext).returns(64L, Outcome::lengthBytes);
        assertThat(first.queue().next()).returns(1L, Outcome::userContext).returns(32L, Outcome::lengthBytes);
        assertThat(second.buffer().firstDifference(new Payload(5), 0, 0, 64)).isEqualTo(-1);
        assertThat(first.buffer().firstDifference(new Payload(5), 0, 0, 32)).isEqualTo(-1);
    }

    /** S5.3: send and receive half must agree in mode and order type. */
    @Rule("S5.3")
    @ParameterizedTest
    @CsvSource({"RM,DEF,RC,DEF", "RC,DEF,RM,DEF", "RC,OT,RC,DEF"})
    void halvesOfAJettyMustAgree(
            TransportMode send, OrderType sendOrder, TransportMode receive, OrderType receiveOrder) {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(
                jfc, JfrConfig.builder().mode(receive).orderType(receiveOrder).build());

        assertRefused(
                UrmaStatus.EINVAL,
                () -> context.createJetty(
                        jfc,
                        jfr,
                        JfsConfig.builder().mode(send).orderType(sendOrder).build()));

        jfr.close(); // nothing holds it
    }

    /** S5.3: Jetties that share a JFR share its receive work requests. */
    @Rule("S5.3")
    @Test
    void jettiesThatShareAJfrShareItsReceives() {
        var first = pair.imported(
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build()), 4096);
        var second = pair.imported(pair.home().jettySharing(first.queue(), JfsConfig.DEFAULT), 4096);
        first.receive(2, 64, 10);
        var queue = pair.initiator().queue();

        assertThat(queue.send(second.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(queue.send(first.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();

        assertThat(first.queue().nextOnes(2)).extracting(Outcome::userContext).containsExactly(10L, 11L);
    }

    /** S5.4: RC has Jetties only. */
    @Rule("S5.4")
    @Test
    void rcHasNoSendQueueAlone() {
        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().queue(Pair.RC_SEND))
                .hasMessageContaining("RC");
    }

    /** S5.4: nor does a peer import a JFR of RC without a Jetty, whatever mode it claims. */
    @Rule({"S5.4", "S5.6"})
    @Test
    void rcHasNoReceiveQueueAlone() {
        assumeTrue(
                pair.device().attributes().capabilities().modes().contains(TransportMode.RC), "the device has no RC");
        var shared = pair.home().receiver(Pair.RC_RECEIVE, 64).shared();
        var context = pair.initiator().context();
        JettyDescriptor d = shared.descriptor();
        var asRm = new JettyDescriptor(
                d.id(), d.kind(), d.incarnation(), TransportMode.RM, OrderType.OI, d.policy(), d.endpoints());

        assertRefused(UrmaStatus.ENOPERM, () -> context.importJetty(shared));
        assertRefused(UrmaStatus.ENOPERM, () -> context.importJetty(asRm, shared.token()));
    }

    /** S5.6: a Jetty is imported with its token, and with no other. */
    @Rule("S5.6")
    @Test
    void jettyIsImportedWithItsTokenAlone() {
        var shared = pair.home().receiver().shared();
        var context = pair.initiator().context();
        var wrong = Token.of(shared.token().value() ^ 1);

        assertRefused(UrmaStatus.ENOPERM, () -> context.importJetty(shared.descriptor(), wrong));
        assertRefused(UrmaStatus.EINVAL, () -> context.importJetty(shared.descriptor(), null))
                .hasMessageContaining("token");
        assertThat(context.importJetty(shared).id())
                .isEqualTo(shared.descriptor().id());
    }

    /** S5.6: under policy NONE no token is needed. */
    @Rule("S5.6")
    @Test
    void jettyWithoutPolicyIsImportedWithoutToken() {
        var queue = pair.home()
                .receiver(JfrConfig.builder().policy(TokenPolicy.NONE).build(), 64);

        assertThat(pair.initiator()
                        .context()
                        .importJetty(queue.descriptor(), null)
                        .id())
                .isEqualTo(queue.descriptor().id());
    }

    /** S5.6: an import of a closed Jetty is refused. */
    @Rule("S5.6")
    @Test
    void closedJettyIsNotImported() {
        var queue = pair.home().receiver();
        var shared = queue.shared();
        queue.close();

        assertRefused(UrmaStatus.ENOPERM, () -> pair.initiator().context().importJetty(shared));
    }

    /** S5.6: a home that cannot be reached ends the import with ETIMEOUT, not later than the import timeout. */
    @Rule({"S5.6", "S12.6"})
    @Test
    void importFromAHomeThatIsGoneTimesOutInTime() {
        assumeTrue(topology() != Topology.LOOPBACK, "the initiator is the home");
        var shared = pair.home().receiver().shared();
        var timeout = Duration.ofMillis(500);
        var context = pair.device().openContext(0, ContextOptions.DEFAULT.withImportTimeout(timeout));
        pair.home().reopen();
        long start = System.nanoTime();

        assertRefused(UrmaStatus.ETIMEOUT, () -> context.importJetty(shared));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(timeout.multipliedBy(6));
    }

    /** S5.7: both must be RC. */
    @Rule("S5.7")
    @Test
    void onlyRcJettiesAreBound() {
        var rm = pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var rc = pair.initiator().asHome().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);

        assertRefused(UrmaStatus.ENOPERM, () -> rc.bind(rm.shared()));
        assertThat(rc.state()).isEqualTo(QueueState.RESET);
    }

    /** S5.7: with equal order types. */
    @Rule("S5.7")
    @Test
    void jettiesOfDifferentOrderTypesAreNotBound() {
        var there = pair.home()
                .jetty(
                        Pair.RC_SEND.toBuilder().orderType(OrderType.OT).build(),
                        JfrConfig.builder()
                                .mode(TransportMode.RC)
                                .orderType(OrderType.OT)
                                .build());
        var here = pair.initiator().asHome().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);

        assertRefused(UrmaStatus.ENOPERM, () -> here.bind(there.shared())).hasMessageContaining("OT");
    }

    /** S5.7: binding the same pair again is allowed. */
    @Rule("S5.7")
    @Test
    void bindingTheSamePairAgainChangesNothing() {
        var connection = pair.connection();

        connection.here().bind(connection.there().shared());

        assertThat(connection.here().state()).isEqualTo(QueueState.READY);
        assertDelivers(connection);
    }

    /** S5.7: a bound Jetty cannot be bound to another. */
    @Rule("S5.7")
    @Test
    void boundJettyIsNotBoundToAnother() {
        var connection = pair.connection();
        var other = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);

        assertRefused(UrmaStatus.EEXIST, () -> connection.here().bind(other.shared()));

        assertDelivers(connection);
    }

    /** S5.7: a Jetty that is bound elsewhere is no target. */
    @Rule("S5.7")
    @Test
    void jettyThatIsBoundElsewhereIsNoTarget() {
        var connection = pair.connection();
        var third = pair.initiator().asHome().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);

        assertRefused(UrmaStatus.EINVAL, () -> third.bind(connection.there().shared()));

        assertThat(third.state()).isEqualTo(QueueState.RESET);
        assertDelivers(connection);
    }

    /** S5.7: unbind of an unbound Jetty is refused. */
    @Rule("S5.7")
    @Test
    void jettyThatIsNotBoundIsNotUnbound() {
        var jetty = pair.initiator().asHome().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);

        assertRefused(UrmaStatus.EINVAL, jetty::unbind).hasMessageContaining("not bound");
    }

    /** S5.7: the same pair is not bound any more once its unbind has begun. */
    @Rule("S5.7")
    @Test
    void jettyThatIsBeingUnboundIsNotBound() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be stopped");
        var connection = pair.connection();
        var jetty = ((LocalHomeQueue) connection.here()).jetty();
        var target = jetty.boundTarget().orElseThrow();
        CompletableFuture<Void> unbound;

        processOfHome().stop();
        try {
            unbound = jetty.unbindAsync();
            assertRefused(UrmaStatus.EAGAIN, () -> jetty.bind(target)).hasMessageContaining("unbound");
        } finally {
            processOfHome().proceed();
        }

        unbound.get(30, TimeUnit.SECONDS);
        jetty.bind(target);
        assertThat(jetty.state()).isEqualTo(QueueState.READY);
    }

    /** S5.7: after an unbind at both ends, both can be bound again. */
    @Rule({"S5.7", "S6.3"})
    @Test
    void jettyThatWasUnboundIsBoundAnew() {
        var connection = pair.connection();
        connection.here().unbind();
        connection.there().unbind();

        connection.here().bind(connection.there().shared());
        connection.there().bind(connection.here().shared());

        assertDelivers(connection);
    }

    /** S5.8: a message to a Jetty that is not bound to its sender is not delivered. */
    @Rule({"S5.8", "S12.1"})
    @Test
    void messageToAJettyThatIsNotBoundToItsSenderIsNotDelivered() {
        var there = pair.home().jetty(Pair.RC_SEND, Pair.RC_RECEIVE);
        var impatient = Pair.RC_SEND.toBuilder().rnrRetry(1).build();
        var here = (LocalHomeQueue) pair.initiator().asHome().jetty(impatient, Pair.RC_RECEIVE);
        var connection = new Pair.Connection(here.sendSide(), here, there);
        here.bind(there.shared());
        there.bind(here.shared());
        there.unbind();
        var buffer = pair.home().segment(4096, Access.READ_WRITE);
        there.receive(buffer, 0, 64, 1);

        var queue = connection.queue();
        queue.jfs().send(null, queue.scratch(), 0, 8, 7);

        assertThat(queue.awaitCompletion())
                .returns(7L, Outcome::userContext)
                .extracting(Outcome::status)
                .isIn(
                        CompletionStatus.RNR_RETRY_CNT_EXC_ERR,
                        CompletionStatus.ACK_TIMEOUT_ERR,
                        CompletionStatus.REM_OPERATION_ERR);
        assertThat(there.within(Patience.WATCH)).isEmpty();
    }

    /** S5.8: an RM queue's messages do not reach an RC Jetty. */
    @Rule("S5.8")
    @Test
    void messageOfAnRmQueueDoesNotReachAnRcJetty() {
        var connection = pair.connection();
        var buffer = pair.home().segment(4096, Access.READ_WRITE);
        connection.there().receive(buffer, 0, 64, 1);
        var context = pair.initiator().context();

        UrmaException refused = null;
        CompletionStatus status = null;
        try (var target = context.importJetty(connection.there().shared())) {
            var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(1).build());
            status = queue.send(target, queue.scratch(), 0, 8).status();
        } catch (UrmaException e) {
            refused = e;
        }

        assertThat(refused != null || status != CompletionStatus.SUCCESS).isTrue();
        assertThat(connection.there().within(Patience.WATCH)).isEmpty();
        assertDeliversThere(connection);
    }

    /** S5.1: an RC connection carries all opcodes, and messages in both directions. */
    @Rule({"S5.1", "S8.8"})
    @Test
    void connectionCarriesAllOpcodesInBothDirections() {
        var connection = pair.connection();
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var source = pair.initiator().buffer(256, new Payload(9));
        var queue = connection.queue();

        assertThat(queue.write(imported.remote(), 64, source, 0, 256).isSuccess())
                .isTrue();
        assertThat(queue.atomic(Opcode.FADD, imported.remote(), 0, 8, 5, 0)).isZero();
        assertThat(imported.home().word(0)).isEqualTo(5);
        assertThat(imported.home().firstDifference(new Payload(9), 64, 0, 256)).isEqualTo(-1);
        var back = pair.initiator().buffer(256);
        assertThat(queue.read(imported.remote(), 64, back, 0, 256).isSuccess()).isTrue();
        assertThat(new Payload(9).firstDifference(back.memory(), 0, 0, 256)).isEqualTo(-1);
        assertDelivers(connection);
    }

    /** S5.9: an asynchronous import completes once, with the import or with its failure. */
    @Rule("S5.9")
    @Test
    void asynchronousImportCompletesWithImportOrFailure() throws Exception {
        var shared = pair.home().receiver().shared();
        var context = pair.initiator().context();

        var good = context.importJettyAsync(shared.descriptor(), shared.token());
        var bad = context.importJettyAsync(
                shared.descriptor(), Token.of(~shared.token().value()));

        assertThat(good.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS).id())
                .isEqualTo(shared.descriptor().id());
        assertThatThrownBy(() -> bad.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .rootCause()
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM));
    }

    /** A message each way arrives as it was sent. */
    private void assertDelivers(Pair.Connection connection) {
        var thereBuffer = pair.home().segment(4096, Access.READ_WRITE);
        assertThat(connection.there().receive(thereBuffer, 0, 64, 0)).isTrue();
        assertDeliversThere(connection);
        assertThat(new String(thereBuffer.get(0, 4), StandardCharsets.UTF_8)).isEqualTo("ping");

        var hereBuffer = pair.initiator().asHome().segment(4096, Access.READ_WRITE);
        connection.here().receive(hereBuffer, 128, 64, 3);
        assertThat(connection
                        .there()
                        .send(connection.here().shared(), "pong".getBytes(StandardCharsets.UTF_8))
                        .isSuccess())
                .isTrue();
        assertThat(connection.here().next())
                .returns(3L, Outcome::userContext)
                .returns(4L, Outcome::lengthBytes)
                .returns(Opcode.SEND, Outcome::opcode);
        assertThat(new String(hereBuffer.get(128, 4), StandardCharsets.UTF_8)).isEqualTo("pong");
    }

    private void assertDeliversThere(Pair.Connection connection) {
        assertThat(connection
                        .here()
                        .send(connection.there().shared(), "ping".getBytes(StandardCharsets.UTF_8))
                        .isSuccess())
                .isTrue();
        assertThat(connection.there().next().lengthBytes()).isEqualTo(4);
    }
}
