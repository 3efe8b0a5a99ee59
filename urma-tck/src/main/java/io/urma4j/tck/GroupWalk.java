package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionBatch;
import io.urma4j.ErrorScope;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyGroupConfig.Choice;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.TargetJetty;
import io.urma4j.Token;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A Jetty group whose members come and go, fail, recover, and run out of receives, and its senders. Each message is
 * received whole and once by one member, or its sender gets an error.
 */
final class GroupWalk implements Walk {
    private static final int STEPS = 220;
    private static final int MOST_MEMBERS = 4;
    private static final int BUFFER_BYTES = 12 << 10; // several packets or slots of a ring
    private static final int BUFFERS = 256;
    private static final Token TOKEN = Token.of(0x5eed_0002);
    private static final JfrConfig RECEIVE =
            JfrConfig.builder().token(TOKEN).minRnrTimer(Duration.ofMillis(1)).build();
    private static final Payload PAYLOAD = new Payload(7);
    private static final int FEW = 4; // receives of each member while its walk settles

    private final Pair pair;
    private final Choice choice;
    private final SplittableRandom random;
    private final WalkBook book = new WalkBook();
    private final HomeGroup group;
    private final HomeSegment buffers;
    private final Queue<Integer> freeBuffers = new ArrayDeque<>();
    private final List<Member> members = new ArrayList<>(); // in the group or not
    private final List<Sender> senders = new ArrayList<>();
    private final Map<Long, Integer> lengths = new HashMap<>(); // of messages to the group, as the next
    private final Map<Long, TargetJetty> flows = new HashMap<>(); // each sender has imported the group for itself
    private final WorkRequestList list = new WorkRequestList(1, 1);

    GroupWalk(Pair pair, Choice choice, SplittableRandom random) {
        this.pair = pair;
        this.choice = choice;
        this.random = random;
        this.group = pair.home()
                .group(JettyGroupConfig.builder().choice(choice).token(TOKEN).build());
        this.buffers = pair.home().segment((long) BUFFERS * BUFFER_BYTES, Access.READ_WRITE);
        for (int i = 0; i < BUFFERS; i++) {
            freeBuffers.add(i);
        }
        for (int i = random.nextInt(2); i < 3; i++) {
            senders.add(new Sender());
        }
    }

    @Override
    public String story() {
        return choice + ":" + book.story();
    }

    // ---- the receiving side

    private final class Member {
        final HomeQueue jetty = pair.home().jetty(JfsConfig.DEFAULT, RECEIVE);
        final TargetJetty alone = pair.initiator().context().importJetty(jetty.shared()); // not by way of the group
        final Map<TargetJetty, Long> youngest = new HashMap<>(); // the last message by each import of the group
        final Set<Integer> waiting = new HashSet<>(); // buffers
        boolean isIn;
        int received;

        Member() {
            book.tell("new " + this);
        }

        void joinOrLeave() {
            book.tell(this + (isIn ? " leaves" : " joins"));
            if (isIn) {
                group.remove(jetty);
            } else {
                group.add(jetty);
            }
            isIn = !isIn;
        }

        void receive(int count) {
            if (jetty.receiveState() == ReceiveState.ERROR) {
                return;
            }
            book.tell(this + " receives " + count);
            for (int i = 0; i < count && !freeBuffers.isEmpty(); i++) {
                int buffer = freeBuffers.remove();
                assertThat(jetty.receive(buffers, (long) buffer * BUFFER_BYTES, BUFFER_BYTES, buffer))
                        .isTrue();
                waiting.add(buffer);
            }
        }

        void poll() {
            for (Outcome message : jetty.within(Duration.ZERO)) {
                long number = message.immediate().orElseThrow();
                book.tell(this + " got " + number + " of " + book.queueOf(number));
                book.received(message);
                received++;
                int buffer = (int) message.userContext();
                assertThat(message.localId()).as("receiver of " + number).isEqualTo(jetty.id());
                assertThat(message.lengthBytes()).as("length of " + number).isEqualTo(lengthOf(number));
                assertThat(buffers.firstDifference(
                                PAYLOAD, (long) buffer * BUFFER_BYTES, number * Long.BYTES, lengthOf(number)))
                        .as("bytes of " + number)
                        .isEqualTo(-1);
                assertThat(waiting.remove(buffer)).as("buffer of " + number).isTrue();
                freeBuffers.add(buffer);
                assertInOrder(number);
            }
        }

        private void assertInOrder(long number) {
            TargetJetty flow = flows.get(number);
            if (flow != null) {
                assertThat(number).as("order at " + this).isGreaterThan(youngest.getOrDefault(flow, 0L));
                youngest.put(flow, number);
            }
        }

        /** Whether each receive waits, or has its record (S6.9). */
        boolean hasAllItsReceives() {
            return jetty.counter("waiting") == waiting.size();
        }

        void fail() {
            book.tell(this + " fails");
            boolean isLast = isIn
                    && jetty.state() != QueueState.ERROR
                    && members.stream()
                            .filter(other -> other.isIn && other != this)
                            .allMatch(Member::hasFailed);
            jetty.modify(QueueState.ERROR);
            if (isLast) {
                assertThat(pair.home().awaitEvent(AsyncEvent.Type.JETTY_GRP_ERR).object())
                        .contains(Integer.toString(
                                group.shared().descriptor().id().id()));
            }
        }

        boolean hasFailed() {
            return jetty.state() == QueueState.ERROR;
        }

        /** Whatever has become of it. */
        void revive() {
            book.tell(this + " is revived");
            if (hasFailed()) {
                jetty.reset();
            }
            jetty.modify(QueueState.READY);
            if (jetty.receiveState() == ReceiveState.ERROR) {
                jetty.modifyReceive(ReceiveState.RESET);
            }
            jetty.modifyReceive(ReceiveState.READY);
        }

        void moveSomewhere() {
            switch (random.nextInt(6)) {
                case 0 -> fail();
                case 1 -> suspendOrResume();
                case 2 -> sleepOrWake();
                default -> revive();
            }
        }

        /** Only its send side is suspended (S6.5). */
        private void suspendOrResume() {
            QueueState state = jetty.state();
            if (state == QueueState.READY || state == QueueState.SUSPENDED) {
                jetty.modify(state == QueueState.READY ? QueueState.SUSPENDED : QueueState.READY);
            }
        }

        private void sleepOrWake() {
            ReceiveState state = jetty.receiveState();
            if (state != ReceiveState.ERROR) {
                book.tell(this + " sleeps or wakes");
                jetty.modifyReceive(state == ReceiveState.READY ? ReceiveState.RESET : ReceiveState.READY);
            }
        }

        @Override
        public String toString() {
            return "member " + jetty.id();
        }
    }

    private int lengthOf(long number) {
        // the length of a message to a single member is the number of the member
        return lengths.getOrDefault(number, (int) number);
    }

    private Member anyMember() {
        return members.get(random.nextInt(members.size()));
    }

    private void comeOrGo() {
        if (members.size() < MOST_MEMBERS && random.nextBoolean()) {
            members.add(new Member());
            members.getLast().joinOrLeave();
        } else if (members.size() > 1 && random.nextInt(3) == 0) {
            goForGood(anyMember());
        } else {
            anyMember().joinOrLeave();
        }
    }

    /** Polls all records before the close, which removes unpolled ones, and lets no new message begin. */
    private void goForGood(Member member) {
        if (member.isIn) {
            member.joinOrLeave();
        }
        if (member.jetty.receiveState() == ReceiveState.READY) {
            member.jetty.modifyReceive(ReceiveState.RESET);
        }
        Patience.await("the end of what has begun at " + member, () -> {
            member.poll();
            return member.hasAllItsReceives();
        });
        book.tell(member + " closes");
        members.remove(member);
        member.jetty.close();
        freeBuffers.addAll(member.waiting); // the closed queue does not use them any more
    }

    // ---- the sending side

    private final class Sender {
        final JfsConfig config = JfsConfig.builder()
                .depth(4 << random.nextInt(3))
                .rnrRetry(random.nextBoolean() ? random.nextInt(4) : 7)
                .errorScope(random.nextInt(4) == 0 ? ErrorScope.TARGET : ErrorScope.JETTY)
                .build();
        final Initiator who = random.nextInt(3) == 0 ? pair.anotherInitiator() : pair.initiator();
        final SendSide side = who.queue(config, new JfcConfig(256, false));
        final WalkQueue queue = new WalkQueue(side.jfs(), side.jfc(), config, book, null);
        final LocalSegment source = who.buffer(WalkBook.PLACES * Long.BYTES + BUFFER_BYTES, PAYLOAD);
        final CompletionBatch batch = new CompletionBatch(16);
        TargetJetty target = who.context().importJetty(group.shared());

        /** Posts a message to the group; false when there was no room. */
        boolean send(int lengthBytes, boolean isSignalled) {
            long number = book.next();
            int hint = random.nextInt();
            boolean isAccepted = queue.post(
                    "SEND of " + lengthBytes + " by " + queue,
                    WalkBook.Kind.SEND,
                    isSignalled,
                    (jfs, context, flags) -> {
                        list.clear();
                        list.sendImmediate(target, context, context)
                                .targetHint(hint)
                                .from(source, context * Long.BYTES, lengthBytes)
                                .flags(flags);
                        return jfs.post(list) == 1;
                    });
            if (isAccepted) {
                lengths.put(number, lengthBytes);
                flows.put(number, target);
            }
            return isAccepted;
        }

        /** Posts a message to one member, whether it is in the group or not. */
        void sendTo(Member member) {
            if (who != pair.initiator()) {
                return; // which has imported them
            }
            queue.post("SEND to " + member + " by " + queue, WalkBook.Kind.SEND, true, (jfs, context, flags) -> {
                list.clear();
                list.sendImmediate(member.alone, context, context)
                        .from(source, context * Long.BYTES, context)
                        .flags(flags);
                return jfs.post(list) == 1;
            });
        }

        void poll() {
            boolean hasFailed = false;
            side.jfc().poll(batch);
            for (int i = 0; i < batch.size(); i++) {
                Outcome outcome = Outcome.of(batch, i);
                queue.record(outcome, side.jfc());
                hasFailed |= !outcome.isSuccess() && !outcome.status().isMarker();
            }
            if (hasFailed && config.errorScope() == ErrorScope.TARGET) {
                target = who.context().importJetty(group.shared()); // a failed import stays failed (S6.12)
            }
        }

        void close() {
            side.jfs().close();
            if (who != pair.initiator()) {
                who.context().close();
            }
        }

        WalkQueue.Work work() {
            return new WalkQueue.Work() {
                @Override
                public void poll() {
                    Sender.this.poll();
                    provide(FEW); // polls; silent messages of all senders may come before the one that is awaited
                }

                @Override
                public boolean write(boolean isSignalled) {
                    return send(Long.BYTES, isSignalled);
                }
            };
        }
    }

    private Sender anySender() {
        return senders.get(random.nextInt(senders.size()));
    }

    private int lengthBytes() {
        return random.nextInt(4) == 0 ? random.nextInt(BUFFER_BYTES) : random.nextInt(64);
    }

    // ---- the walk

    @Override
    public void walk() {
        members.add(new Member());
        members.getLast().joinOrLeave();
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        settle();
        members.forEach(Member::poll);
        book.assertReceived();
        for (Member member : members) {
            assertThat(member.hasAllItsReceives())
                    .as("receives of " + member + ", which should be " + member.waiting.size())
                    .isTrue();
        }
        close();
    }

    private void step() {
        Sender sender = anySender();
        switch (random.nextInt(24)) {
            case 0 -> comeOrGo();
            case 1, 2 -> anyMember().moveSomewhere();
            case 3, 4, 5 -> anyMember().receive(1 + random.nextInt(4));
            case 6, 7 -> anyMember().poll();
            case 8, 9, 10 -> sender.poll();
            case 11 -> sender.queue.flush(1 + random.nextInt(8));
            case 12 -> stopNowAndThen(sender);
            case 13, 14 -> sender.queue.revive();
            case 15 -> sender.sendTo(anyMember());
            default -> sender.send(lengthBytes(), sender.queue.mustSignal() || random.nextInt(5) < 3);
        }
    }

    private void stopNowAndThen(Sender sender) {
        switch (random.nextInt(6)) {
            case 0 -> sender.queue.quiesce();
            case 1 -> sender.queue.moveSomewhere(random);
            default -> sender.poll();
        }
    }

    /** All members work and have receives, all senders have room, and each message arrives. */
    private void settle() {
        book.tell("settle");
        for (Member member : members) {
            member.revive();
            if (!member.isIn) {
                member.joinOrLeave();
            }
        }
        for (Sender sender : senders) {
            sender.queue.settle(sender.work());
        }
        for (Sender sender : senders) { // no other one has messages that would take the receives
            provide(sender.side.jfs().depth());
            sender.queue.assertAllSlotsAreFree(sender.work(), true);
        }
        if (choice == Choice.ROUND_ROBIN && members.size() > 1) {
            assertThatOneReadyMemberIsEnough();
        }
    }

    /** Posts receives until each ready member has {@code each}: with hints, one member may get all messages. */
    private void provide(int each) {
        for (Member member : members) {
            member.poll();
            long missing = each - member.jetty.counter("waiting");
            if (missing > 0 && member.jetty.receiveState() == ReceiveState.READY) {
                member.receive((int) missing);
            }
        }
    }

    private void assertThatOneReadyMemberIsEnough() {
        Member ready = anyMember();
        for (Member other : members) {
            if (other != ready) {
                other.jetty.modifyReceive(ReceiveState.RESET);
            }
        }
        int before = ready.received;
        Sender sender = senders.getFirst();
        sender.queue.settle(sender.work());
        ready.poll();
        assertThat(ready.received).as("messages to " + ready).isGreaterThan(before);
    }

    private void close() {
        senders.forEach(Sender::close);
        for (Member member : members) {
            member.jetty.close();
        }
        group.close();
    }
}
