package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionStatus;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroup;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyGroupConfig.Choice;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SEMANTICS §5: Jetties that receive together: groups, and receive records in a Jetty's own JFC. */
public abstract class GroupsContract extends Contract {
    private static final Token TOKEN = Token.of(0x5eed_0001);
    private static final JfrConfig MEMBER = JfrConfig.builder().token(TOKEN).build();

    protected GroupsContract(String device) {
        super(device);
    }

    private static JettyGroupConfig group(Choice choice) {
        return JettyGroupConfig.builder().choice(choice).token(TOKEN).build();
    }

    /** A group of the home, its members, and its import. */
    private record Members(HomeGroup group, List<HomeQueue> jetties, HomeSegment buffer, TargetJetty target) {
        void receive(int member, int count, long lengthBytes) {
            for (int i = 0; i < count; i++) {
                jetties.get(member).receive(buffer, member * 4096L, lengthBytes, i);
            }
        }

        List<Outcome> receivedBy(int member) {
            return jetties.get(member).within(Patience.WATCH);
        }
    }

    private Members members(Choice choice, int count) {
        var group = pair.home().group(group(choice));
        List<HomeQueue> jetties = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            var jetty = pair.home().jetty(JfsConfig.DEFAULT, MEMBER);
            group.add(jetty);
            jetties.add(jetty);
        }
        var buffer = pair.home().segment(Math.max(count, 1) * 4096L, Access.READ_WRITE);
        return new Members(group, jetties, buffer, pair.initiator().context().importJetty(group.shared()));
    }

    private void send(Members members, int count) {
        var queue = pair.initiator().queue();
        for (int i = 0; i < count; i++) {
            assertThat(queue.send(members.target(), queue.scratch(), 0, 8).status())
                    .isEqualTo(CompletionStatus.SUCCESS);
        }
    }

    /** S5.5: round robin reaches the members in turn, and the record names the member. */
    @Rule({"S5.5", "S10.1"})
    @Test
    void roundRobinReachesEachMemberInItsTurn() {
        var members = members(Choice.ROUND_ROBIN, 4);
        for (int i = 0; i < 4; i++) {
            members.receive(i, 8, 64);
        }

        send(members, 32);

        for (int i = 0; i < 4; i++) {
            assertThat(members.receivedBy(i))
                    .hasSize(8)
                    .allMatch(Outcome::jetty)
                    .extracting(Outcome::localId)
                    .containsOnly(members.jetties().get(i).id());
        }
    }

    /** S5.5: a member without a receive work request, or in ERROR, is skipped. */
    @Rule("S5.5")
    @Test
    void roundRobinPassesOverWhoIsNotReady() {
        var members = members(Choice.ROUND_ROBIN, 3);
        members.receive(0, 8, 64);
        members.receive(2, 8, 64);
        members.jetties().get(2).modify(QueueState.ERROR);

        send(members, 6);

        assertThat(members.receivedBy(0)).hasSize(6);
    }

    /** S5.5: the same hint reaches the same member, and different hints different ones. */
    @Rule("S5.5")
    @Test
    void sameHintReachesTheSameMember() {
        int hints = 32;
        var members = members(Choice.HASH_HINT, 4);
        for (int i = 0; i < 4; i++) {
            members.receive(i, 2 * hints, 64);
        }
        var queue = pair.initiator().queue();
        for (int i = 0; i < 2 * hints; i++) {
            queue.postAll(new WorkRequestList(1, 1)
                    .sendImmediate(members.target(), i % hints, i)
                    .targetHint(i % hints)
                    .from(queue.scratch(), 0, 8));
        }
        assertThat(queue.awaitCompletions(2 * hints)).allMatch(Outcome::isSuccess);

        Map<Long, Set<Integer>> membersOfHint = new HashMap<>();
        for (int i = 0; i < 4; i++) {
            for (Outcome outcome : members.receivedBy(i)) {
                membersOfHint
                        .computeIfAbsent(outcome.immediate().orElse(-1), any -> new HashSet<>())
                        .add(outcome.localId());
            }
        }
        assertThat(membersOfHint)
                .hasSize(hints)
                .allSatisfy((hint, ids) -> assertThat(ids).hasSize(1));
        assertThat(membersOfHint.values().stream().flatMap(Set::stream).distinct())
                .hasSizeGreaterThan(1);
    }

    /** S5.5, S8.9: a message to a group waits for a receive as any other, in order. */
    @Rule({"S5.5", "S8.9", "S12.1"})
    @ParameterizedTest
    @EnumSource(Choice.class)
    void messagesToAGroupWaitInOrder(Choice choice) {
        var members = members(choice, 1);
        var queue = pair.initiator().queue();
        for (int i = 0; i < 20; i++) {
            queue.jfs().sendImmediate(members.target(), queue.scratch(), 0, 8, i, i);
        }
        assertThat(queue.within(Patience.WATCH)).isEmpty();

        members.receive(0, 20, 64);

        assertThat(members.jetties().getFirst().nextOnes(20))
                .extracting(o -> o.immediate().orElse(-1))
                .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
        assertThat(queue.awaitCompletions(20)).allMatch(Outcome::isSuccess);
    }

    /** S5.5: a long message goes to one member, whole. */
    @Rule("S5.5")
    @Test
    void longMessageGoesToOneMember() {
        int lengthBytes = 3 << 20;
        var group = pair.home().group(group(Choice.ROUND_ROBIN));
        var first = pair.home().jetty(JfsConfig.DEFAULT, MEMBER);
        var second = pair.home().jetty(JfsConfig.DEFAULT, MEMBER);
        group.add(first);
        group.add(second);
        var buffer = pair.home().segment(2L * lengthBytes, Access.READ_WRITE);
        first.receive(buffer, 0, lengthBytes, 1);
        second.receive(buffer, lengthBytes, lengthBytes, 2);
        var target = pair.initiator().context().importJetty(group.shared());
        var source = pair.initiator().buffer(lengthBytes, new Payload(1));
        var queue = pair.initiator().queue();

        for (int i = 0; i < 2; i++) {
            assertThat(queue.send(target, source, 0, lengthBytes).isSuccess()).isTrue();
        }

        assertThat(first.next()).returns(1L, Outcome::userContext).returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(second.next()).returns(2L, Outcome::userContext).returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(buffer.firstDifference(new Payload(1), 0, 0, lengthBytes)).isEqualTo(-1);
        assertThat(buffer.firstDifference(new Payload(1), lengthBytes, 0, lengthBytes))
                .isEqualTo(-1);
    }

    /** S5.5, S5.6: a group is imported with its token alone. */
    @Rule({"S5.5", "S5.6"})
    @Test
    void groupIsImportedWithItsTokenAlone() {
        var shared = members(Choice.ROUND_ROBIN, 1).group().shared();
        var context = pair.initiator().context();

        assertRefused(UrmaStatus.ENOPERM, () -> context.importJetty(shared.descriptor(), Token.of(1)));
        assertRefused(UrmaStatus.EINVAL, () -> context.importJetty(shared.descriptor(), null));
        var open = pair.home()
                .group(JettyGroupConfig.builder().policy(TokenPolicy.NONE).build());
        context.importJetty(open.shared().descriptor(), null).close();
        open.close();
        assertRefused(
                UrmaStatus.ENOPERM, () -> context.importJetty(open.shared().descriptor(), null));
    }

    /** S5.5: the descriptor of a group can be shared like any other. */
    @Rule({"S5.5", "S1.4"})
    @Test
    void groupIsDescribed() {
        var shared = members(Choice.ROUND_ROBIN, 1).group().shared();

        assertThat(SharedJetty.parse(shared.toLine())).isEqualTo(shared);
        assertThat(shared.descriptor().kind()).isEqualTo(JettyDescriptor.Kind.GROUP);
        assertThat(shared.descriptor().mode()).isEqualTo(TransportMode.RM);
    }

    /** S1.6, S5.5: 32 Jetties, and no more. */
    @Rule({"S1.6", "S5.5", "S2.2"})
    @Test
    void fullGroupTakesNoMore() {
        var members = members(Choice.ROUND_ROBIN, JettyGroup.MAX_JETTIES);
        var oneMore = pair.home().jetty(JfsConfig.DEFAULT, MEMBER);

        assertThat(JettyGroup.MAX_JETTIES).isEqualTo(32);
        assertRefused(UrmaStatus.EINVAL, () -> members.group().add(oneMore)).hasMessageContaining("32");

        assertThat(members.group().size()).isEqualTo(32);
        members.group().remove(members.jetties().getFirst());
        members.group().add(oneMore);
        assertThat(members.group().size()).isEqualTo(32);
    }

    /** S5.5: another mode, token or policy is refused, and the group is as before. */
    @Rule({"S5.5", "S2.1", "S2.2"})
    @Test
    void jettyThatDiffersIsNoMember() {
        var group = pair.home().group(group(Choice.ROUND_ROBIN));
        var otherToken =
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var otherPolicy = pair.home()
                .jetty(
                        JfsConfig.DEFAULT,
                        JfrConfig.builder()
                                .token(TOKEN)
                                .policy(TokenPolicy.NONE)
                                .build());
        var otherMode = pair.home()
                .jetty(
                        Pair.RC_SEND,
                        JfrConfig.builder().mode(TransportMode.RC).token(TOKEN).build());

        assertRefused(UrmaStatus.EINVAL, () -> group.add(otherToken)).hasMessageContaining("token");
        assertRefused(UrmaStatus.EINVAL, () -> group.add(otherPolicy)).hasMessageContaining("policy");
        assertRefused(UrmaStatus.EINVAL, () -> group.add(otherMode)).hasMessageContaining("RC");

        assertThat(group.size()).isZero();
        group.close();
        otherToken.close();
    }

    /** S5.5: a Jetty is a member once, of one group. */
    @Rule({"S5.5", "S2.2"})
    @Test
    void jettyIsAMemberOfOneGroup() {
        var members = members(Choice.ROUND_ROBIN, 1);
        var other = pair.home().group(group(Choice.HASH_HINT));
        var jetty = members.jetties().getFirst();
        var stranger = pair.home().jetty(JfsConfig.DEFAULT, MEMBER);

        assertRefused(UrmaStatus.EINVAL, () -> members.group().add(jetty)).hasMessageContaining("member");
        assertRefused(UrmaStatus.EINVAL, () -> other.add(jetty)).hasMessageContaining("member");
        assertRefused(UrmaStatus.EINVAL, () -> other.remove(jetty)).hasMessageContaining("no member");
        assertRefused(UrmaStatus.EINVAL, () -> members.group().remove(stranger));

        assertThat(members.group().size()).isEqualTo(1);
        assertThat(other.size()).isZero();
        members.group().remove(jetty);
        other.add(jetty);
        assertThat(other.size()).isEqualTo(1);
    }

    /** SEMANTICS §4: a group with members is not closed; members leave when they are closed. */
    @Rule({"S5.5", "S2.2", "S4.2"})
    @Test
    void groupWithMembersIsNotClosed() {
        var members = members(Choice.ROUND_ROBIN, 2);

        assertRefused(UrmaStatus.ENOPERM, members.group()::close).hasMessageContaining("members");
        members.receive(0, 1, 64);
        send(members, 1);

        members.jetties().get(0).close();
        assertThat(members.group().size()).isEqualTo(1);
        members.group().remove(members.jetties().get(1));
        members.group().close();
        members.group().close();
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> members.group().add(members.jetties().get(1)))
                .hasMessageContaining("closed");
    }

    /** S5.5: a member that has left receives nothing more; without members the send fails. */
    @Rule("S5.5")
    @Test
    void groupWithoutMembersRefusesMessages() {
        var members = members(Choice.ROUND_ROBIN, 1);
        members.receive(0, 4, 64);
        members.group().remove(members.jetties().getFirst());
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);

        assertThat(queue.send(members.target(), queue.scratch(), 0, 8).status())
                .isIn(CompletionStatus.REM_OPERATION_ERR, CompletionStatus.RNR_RETRY_CNT_EXC_ERR);
        assertThat(members.receivedBy(0)).isEmpty();
    }

    /** S2.3: when no member works any more, an event names the group, and sends to it fail. */
    @Rule({"S5.5", "S2.3", "S6.5"})
    @Test
    void groupWhoseMembersAllFailedIsAnEvent() {
        var members = members(Choice.ROUND_ROBIN, 2);
        members.receive(0, 1, 64);
        members.jetties().get(0).modify(QueueState.ERROR);
        members.jetties().get(1).modify(QueueState.ERROR);

        assertThat(pair.home().awaitEvent(AsyncEvent.Type.JETTY_GRP_ERR).object())
                .contains(Integer.toString(
                        members.group().shared().descriptor().id().id()));
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(queue.send(members.target(), queue.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.REM_OPERATION_ERR);
    }

    // ---- S5.3: shared.jfc

    /** S5.3: a Jetty's own JFC takes its receive records, and the JFR's those of the others. */
    @Rule("S5.3")
    @Test
    void receiveRecordsGoToTheJettysOwnJfc() {
        var plain = pair.imported(
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build()), 4096);
        var special = pair.imported(pair.home().jettySharing(plain.queue(), JfsConfig.DEFAULT, 64), 4096);
        plain.receive(4, 64, 0); // for both: the JFR is one
        var queue = pair.initiator().queue();

        assertThat(queue.send(special.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(queue.send(plain.target(), queue.scratch(), 0, 16).isSuccess())
                .isTrue();

        assertThat(special.queue().within(Patience.WATCH))
                .singleElement()
                .returns(8L, Outcome::lengthBytes)
                .returns(special.queue().id(), Outcome::localId);
        assertThat(plain.queue().within(Patience.WATCH))
                .singleElement()
                .returns(16L, Outcome::lengthBytes)
                .returns(plain.queue().id(), Outcome::localId);
    }

    /** S10.5, S5.3: a Jetty whose own JFC overflows goes to ERROR; Jetties that share its JFR do not. */
    @Rule({"S5.3", "S10.5"})
    @Test
    void overflowOfTheJettysOwnJfcIsItsError() {
        var plain = pair.imported(
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build()), 4096);
        var special = pair.imported(pair.home().jettySharing(plain.queue(), JfsConfig.DEFAULT, 4), 4096);
        plain.receive(16, 64, 0);
        var queue = pair.initiator().queue(JfsConfig.builder().rnrRetry(1).build());
        for (int i = 0; i < 5; i++) {
            queue.jfs().send(special.target(), queue.scratch(), 0, 8, i);
        }

        Patience.await("ERROR", () -> special.queue().state() == QueueState.ERROR);

        Patience.await("the overflow", () -> !special.queue().isJfcValid());
        assertThat(special.queue().within(Patience.WATCH)).hasSize(4);
        assertThat(pair.initiator()
                        .queue()
                        .send(plain.target(), pair.initiator().queue().scratch(), 0, 8)
                        .isSuccess())
                .isTrue();
    }

    /** S5.3, SEMANTICS §4: such a JFC is of the same context, and is held by its Jetty. */
    @Rule({"S5.3", "S2.2"})
    @Test
    void jettysOwnJfcIsHeldByIt() {
        var context = pair.initiator().context();
        var other = pair.anotherInitiator();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var receiveJfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(jfc, JfrConfig.builder().build());

        assertRefused(
                UrmaStatus.EINVAL,
                () -> context.createJetty(
                        jfc, jfr, JfsConfig.DEFAULT, other.queue().jfc()));
        var jetty = context.createJetty(jfc, jfr, JfsConfig.DEFAULT, receiveJfc);
        assertRefused(UrmaStatus.EAGAIN, receiveJfc::close).hasMessageContaining(jetty.toString());
        jetty.close();
        receiveJfc.close();
        jfr.close();
    }

    // ---- S5.10: advise

    /** S5.10: on RM it is accepted, any number of times, and messages arrive as without it. */
    @Rule("S5.10")
    @Test
    void adviceIsAcceptedOnRm() {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 3);
        var queue = pair.initiator().queue();

        queue.jfs().advise(receiver.target());
        queue.jfs().advise(receiver.target());

        assertThat(queue.send(receiver.target(), queue.scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(receiver.queue().next()).returns(3L, Outcome::userContext);
    }

    /** S5.10: on other modes it is refused. */
    @Rule({"S5.10", "S2.2"})
    @ParameterizedTest
    @EnumSource(
            value = TransportMode.class,
            names = {"RC", "UM"})
    void adviceIsRefusedOnOtherModes(TransportMode mode) {
        assumeTrue(pair.device().attributes().capabilities().modes().contains(mode), "the device has such queues");
        var jetty = (LocalHomeQueue) pair.initiator()
                .asHome()
                .jetty(
                        JfsConfig.builder().mode(mode).build(),
                        JfrConfig.builder().mode(mode).build());
        var rm = pair.receiver(4096);
        var same = pair.initiator()
                .context()
                .importJetty(pair.home()
                        .jetty(
                                JfsConfig.builder().mode(mode).build(),
                                JfrConfig.builder().mode(mode).build())
                        .shared());

        assertRefused(UrmaStatus.EINVAL, () -> jetty.sendSide().jfs().advise(same))
                .hasMessageContaining(mode.name());
        assertRefused(UrmaStatus.EINVAL, () -> jetty.sendSide().jfs().advise(rm.target()));
        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().queue().jfs().advise(same));
    }
}
