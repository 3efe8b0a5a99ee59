package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Message;
import io.urma4j.MessageChannel;
import io.urma4j.MessageChannel.Options;
import io.urma4j.MessageChannel.Peer;
import io.urma4j.OperationFailedException;
import io.urma4j.SharedJetty;
import io.urma4j.Token;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The comfortable level, {@link MessageChannel}: messages by simple calls, on any provider. */
public abstract class MessageChannelContract extends Contract {
    private static final Duration LIMIT = Patience.LIMIT;

    /** The immediate of a message with a reply address (docs/semantics.md S8.16). */
    private static final long REPLY_MARK = 0xB1E7_5C0D_94A2_6F3BL;

    private static final int KEPT_FOR_REPLIES = 64;

    private MessageChannel here;
    private MessageChannel there;

    protected MessageChannelContract(String device) {
        super(device);
    }

    @BeforeEach
    void openChannels() {
        here = pair.initiator().context().openMessageChannel();
        there = other(Options.DEFAULT);
    }

    /** A channel at the other end, where that is in this process; else in another context here. */
    private MessageChannel other(Options options) {
        Initiator end = topology() == Topology.LOOPBACK ? pair.initiator() : pair.anotherInitiator();
        return end.context().openMessageChannel(options);
    }

    private static Message next(MessageChannel channel) {
        return channel.receive(LIMIT).orElseThrow(() -> new AssertionError("no message within " + LIMIT));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Rule({"S8.1", "S10.1"})
    @Test
    void messagesGoBothWaysWithTheirSenders() {
        Peer thatOne = here.connect(there.share());
        thatOne.send(text(here.share()), -42);

        Message question = next(there);
        assertThat(question.sender().uasid()).isEqualTo(here.id().uasid());
        assertThat(question.immediate()).hasValue(-42);
        assertThat(question.payload().isReadOnly()).isTrue();
        Peer back = there.connect(new String(question.bytes(), StandardCharsets.UTF_8));
        assertThat(back.id()).isEqualTo(here.id());
        assertThat(back.sent(question)).isTrue();
        back.send(new byte[0]);

        Message answer = next(here);
        assertThat(thatOne.sent(answer)).isTrue();
        assertThat(answer.immediate()).isEmpty();
        assertThat(answer.bytes()).isEmpty();
        assertThat(here.receive(Duration.ZERO)).isEmpty();
    }

    @Rule("S8.15")
    @Test
    void aChannelIsFoundByItsName() {
        String name = "channel-" + System.nanoTime();
        there.publish(name);

        here.connect("name:" + name).send(text("by name"));

        assertThat(next(there).bytes()).isEqualTo(text("by name"));
        assertThat(catchThrowableOfType(UrmaException.class, () -> here.publish(name))
                        .status())
                .as("a name that is taken")
                .isEqualTo(UrmaStatus.EEXIST);
        there.close();
        assertThat(catchThrowableOfType(UrmaException.class, () -> here.connect("name:" + name))
                        .status())
                .as("a name whose channel is closed")
                .isEqualTo(UrmaStatus.EINVAL);
        here.publish(name); // it is free again
    }

    /** A name includes the kind of its object: the wrong kind is refused, and nothing is imported. */
    @Rule("S8.15")
    @Test
    void aNameOfAnotherKindIsRefused() {
        UrmaContext context = pair.initiator().context();
        String name = "segment-" + System.nanoTime();
        LocalSegment segment = context.register(context.allocate(4096), Access.READ);
        segment.publish(name);
        String channelName = "queue-" + System.nanoTime();
        there.publish(channelName);

        for (String wrong : new String[] {"name:" + name, name, "other:" + name, "name:", "name:no-such-name"}) {
            assertThat(catchThrowableOfType(UrmaException.class, () -> here.connect(wrong)))
                    .as("connect to %s", wrong)
                    .isNotNull();
        }
        assertThat(catchThrowableOfType(UrmaException.class, () -> here.connect("name:" + name)))
                .hasMessageContaining("is the name of a segment, not of a channel, JFR or Jetty");
        assertThat(catchThrowableOfType(UrmaException.class, () -> context.openPipeTo("name:" + channelName)))
                .as("a pipe to a channel")
                .isNotNull();
        segment.close();
    }

    @Rule("S8.1")
    @Test
    void aQueueOfTheHomeIsAPeerLikeAnother() {
        HomeQueue queue =
                pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        HomeSegment buffer = pair.home().segment(8192, Access.READ_WRITE);
        queue.receive(buffer, 0, 8192, 9);
        Payload payload = new Payload(5);

        here.connect(queue.shared().toLine()).send(payload.bytes(0, 8192), 6);

        Outcome received = queue.next();
        assertThat(received.isSuccess()).isTrue();
        assertThat(received.source().orElseThrow().uasid()).isEqualTo(here.id().uasid());
        assertThat(received.immediate()).hasValue(6);
        assertThat(buffer.firstDifference(payload, 0, 0, 8192)).isEqualTo(-1);
        assertThat(queue.send(SharedJetty.parse(here.share()), text("back")).isSuccess())
                .isTrue();
        assertThat(next(here).bytes()).isEqualTo(text("back"));
    }

    /** A channel of the home, which may be another process. */
    @Rule({"S8.1", "S13.2"})
    @Test
    void channelsOfInitiatorAndHomeTalk() {
        HomeChannel home = pair.home().messageChannel();
        try (Peer peer = here.connect(home.share())) {
            for (int round = 0; round < 10; round++) {
                byte[] question = new Payload(round).bytes(0, 1 + 500 * round);
                peer.send(question);
                assertThat(home.next()).isEqualTo(question);

                byte[] answer = new Payload(-round).bytes(0, 1 + 300 * round);
                home.send(here.share(), answer);
                assertThat(next(here).bytes()).isEqualTo(answer);
            }
        }
    }

    /** A message longer than a ring and than a window. */
    @Rule({"S8.1", "S13.2"})
    @Test
    void largeMessagesGoBothWaysBetweenInitiatorAndHome() {
        int lengthBytes = Patience.amount(24 << 20, 2 << 20) + 13;
        Options large = Options.builder()
                .maxMessageBytes(lengthBytes)
                .receiveBuffers(1)
                .sendBuffers(1)
                .build();
        HomeChannel home = pair.home().messageChannel(large);
        HomeChannel mine = new LocalHomeChannel(pair.initiator().context().openMessageChannel(large));
        Payload there = new Payload(1);
        Payload back = new Payload(2);

        mine.sendSeries(home.share(), there, 1, lengthBytes);
        assertThat(home.firstWrong(there, 1, lengthBytes)).isEqualTo(-1);
        home.sendSeries(mine.share(), back, 1, lengthBytes);
        assertThat(mine.firstWrong(back, 1, lengthBytes)).isEqualTo(-1);
    }

    /** Each end sends more than the other has buffers for, both at once: all arrives, in order and once. */
    @Rule({"S8.9", "S12.1", "S13.2"})
    @Test
    void initiatorAndHomeSendEachOtherMoreThanTheirBuffersHold() {
        Options few = Options.builder().receiveBuffers(2).sendBuffers(4).build();
        HomeChannel home = pair.home().messageChannel(few);
        HomeChannel mine = new LocalHomeChannel(pair.initiator().context().openMessageChannel(few));
        Payload there = new Payload(3);
        Payload back = new Payload(4);
        int count = 300;
        int lengthBytes = 1000;
        String homeLine = home.share();
        String myLine = mine.share();

        CompletableFuture<Void> sent = async(() -> mine.sendSeries(homeLine, there, count, lengthBytes));
        CompletableFuture<Void> answered = async(() -> home.sendSeries(myLine, back, count, lengthBytes));
        assertThat(Patience.until(Patience.WATCH, () -> sent.isDone() || answered.isDone()))
                .as("sent without room")
                .isFalse();
        CompletableFuture<Void> taken = async(
                () -> assertThat(home.firstWrong(there, count, lengthBytes)).isEqualTo(-1));
        assertThat(mine.firstWrong(back, count, lengthBytes)).isEqualTo(-1);

        assertThat(CompletableFuture.allOf(sent, answered, taken)).succeedsWithin(LIMIT);
    }

    private static CompletableFuture<Void> async(Runnable call) {
        return CompletableFuture.runAsync(call, task -> Thread.ofVirtual().start(task));
    }

    /** The senders to a process that dies fail in time, and the channel serves other peers. */
    @Rule({"S12.4", "S12.6", "S12.7"})
    @Test
    void deathOfThePeerFailsItsSendersAlone() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        Options hasty = Options.builder()
                .receiveBuffers(2)
                .sendTimeout(Duration.ofSeconds(3))
                .build();
        MessageChannel mine = pair.initiator().context().openMessageChannel(hasty);
        Peer gone = mine.connect(pair.home().messageChannel(hasty).share());
        Peer peer = mine.connect(there.share());
        List<CompletableFuture<Void>> waiting = waitingSends(gone, 6);

        assertThat(gone.isConnected()).isTrue();

        processOfHome().kill();

        waiting.forEach(MessageChannelContract::assertFailsInTime);
        assertThat(Patience.until(LIMIT, () -> !gone.isConnected()))
                .as("the channel reports the dead peer")
                .isTrue();
        assertThat(peer.isConnected()).isTrue();
        assertFailsInTime(async(() -> gone.send(text("anybody?"))));
        peer.send(text("still here"));
        assertThat(next(there).bytes()).isEqualTo(text("still here"));
        assertThat(mine.receive(Duration.ZERO)).isEmpty();
        gone.close();
        mine.close();
    }

    /** Messages for which a peer with two buffers, which does not receive, has no room. */
    private static List<CompletableFuture<Void>> waitingSends(Peer peer, int count) {
        peer.send(text("the first buffer"));
        peer.send(text("the second buffer"));
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waiting.add(peer.sendAsync(MemorySegment.ofArray(new byte[1]), OptionalLong.of(i)));
        }
        assertThat(Patience.until(Patience.WATCH, () -> waiting.stream().anyMatch(CompletableFuture::isDone)))
                .as("sent without room")
                .isFalse();
        return waiting;
    }

    private static void assertFailsInTime(CompletableFuture<Void> send) {
        assertThat(send).failsWithin(LIMIT);
        assertThat(send.exceptionNow()).isInstanceOf(UrmaException.class).hasMessageContaining("peer ");
    }

    /** Senders that wait for room, and a receiver that waits for a message. */
    @Rule({"S4.2", "S12.6"})
    @Test
    void closeOfAPeerEndsAllThatWaitForIt() {
        HomeChannel home =
                pair.home().messageChannel(Options.builder().receiveBuffers(2).build());
        List<CompletableFuture<Void>> waiting = waitingSends(here.connect(home.share()), 6);

        home.close();

        waiting.forEach(MessageChannelContract::assertFailsInTime);
        assertRefused(UrmaStatus.EINVAL, home::next).hasMessageContaining("is closed");
    }

    @Rule({"S4.2", "S12.6"})
    @Test
    void closeOfTheHomesChannelEndsItsOwnWait() {
        HomeChannel home = pair.home().messageChannel();
        CompletableFuture<Void> waits = async(home::next);
        assertThat(Patience.until(Patience.WATCH, waits::isDone)).isFalse();

        home.close();

        assertThat(waits).failsWithin(LIMIT);
        assertThat(waits.exceptionNow()).isInstanceOf(UrmaException.class).hasMessageContaining("is closed");
    }

    @Rule("S8.9")
    @Test
    void messagesOfOneThreadKeepTheirOrder() {
        Peer peer = here.connect(there.share());
        int count = 2000;
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                peer.send(new byte[i % 300], i);
            }
        });
        for (int i = 0; i < count; i++) {
            Message message = next(there);
            assertThat(message.immediate()).hasValue(i);
            assertThat(message.payload().byteSize()).isEqualTo(i % 300);
        }
        sending.join();
        assertThat(peer.counters().get("sent")).isEqualTo(count);
        assertThat(there.counters().get("received")).isEqualTo(count);
    }

    @Rule("S8.9")
    @Test
    void asynchronousMessagesOfOneThreadKeepTheirOrder() {
        Peer peer = here.connect(there.share());
        int count = 300;
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                sends.add(peer.sendAsync(MemorySegment.ofArray(new byte[10]), OptionalLong.of(i)));
            }
        });
        for (int i = 0; i < count; i++) {
            assertThat(next(there).immediate()).hasValue(i);
        }
        sending.join();
        assertThat(CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new)))
                .succeedsWithin(LIMIT);
    }

    @Rule("S13.1")
    @Test
    void messagesOfManyThreadsArriveOnceEach() throws InterruptedException {
        Peer peer = here.connect(there.share());
        int senders = 12;
        int each = 150;
        List<Thread> threads = IntStream.range(0, senders)
                .mapToObj(sender -> Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < each; i++) {
                        peer.send(new Payload(sender).bytes(i, 64), (long) sender << 32 | i);
                    }
                }))
                .toList();
        Map<Integer, Integer> nextOf = new HashMap<>();
        for (int i = 0; i < senders * each; i++) {
            Message message = next(there);
            long immediate = message.immediate().orElseThrow();
            int sender = (int) (immediate >>> 32);
            int number = (int) immediate;
            assertThat(number).as("of sender %d", sender).isEqualTo(nextOf.getOrDefault(sender, 0));
            nextOf.put(sender, number + 1);
            assertThat(message.bytes()).isEqualTo(new Payload(sender).bytes(number, 64));
        }
        for (Thread thread : threads) {
            assertThat(thread.join(LIMIT)).isTrue();
        }
        assertThat(there.receive(Duration.ZERO)).isEmpty();
    }

    @Rule("S12.1")
    @Test
    void aPeerThatDoesNotReceiveHoldsUpItsSendersAlone() {
        MessageChannel slow = other(Options.builder().receiveBuffers(2).build());
        Peer toSlow = here.connect(slow.share());
        Peer toFast = here.connect(there.share());
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(toSlow.sendAsync(MemorySegment.ofArray(new byte[1]), OptionalLong.of(i)));
        }
        toFast.send(text("not held up"));
        assertThat(next(there).bytes()).isEqualTo(text("not held up"));
        assertThat(waiting.getLast()).isNotDone();
        for (int i = 0; i < 8; i++) {
            assertThat(next(slow).immediate()).hasValue(i);
        }
        assertThat(CompletableFuture.allOf(waiting.toArray(CompletableFuture<?>[]::new)))
                .succeedsWithin(LIMIT);
    }

    @Rule("S10.3")
    @Test
    void aMessageTooLongForThePeerFailsAndBothChannelsGoOn() {
        MessageChannel small = other(Options.builder().maxMessageBytes(64).build());
        Peer peer = here.connect(small.share());
        for (int round = 0; round < 20; round++) {
            peer.send(new byte[64], round);
            OperationFailedException failure =
                    catchThrowableOfType(OperationFailedException.class, () -> peer.send(new byte[65]));
            assertThat(failure).isNotNull();
            assertThat(failure.completionStatus()).isEqualTo(CompletionStatus.REM_OPERATION_ERR);
            assertThat(next(small).immediate()).hasValue(round);
        }
        assertThat(small.counters().get("too_long")).isEqualTo(20);
        assertThat(small.receive(Duration.ZERO)).isEmpty();
    }

    /** S8.9, S8.17: posted messages arrive once each and in order, also where more are posted than buffers exist. */
    @Rule({"S8.9", "S8.17"})
    @Test
    void postedMessagesKeepTheirOrder() {
        Peer peer = here.connect(there.share());
        int count = 2000;
        CompletableFuture<Void> posting = CompletableFuture.runAsync(() -> {
            MemorySegment payload = MemorySegment.ofArray(new long[1]);
            for (int i = 0; i < count; i++) {
                payload.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
                peer.post(payload, OptionalLong.of(i)); // and the payload can be written again
            }
        });
        for (int i = 0; i < count; i++) {
            Message message = next(there);
            assertThat(message.immediate()).hasValue(i);
            assertThat(message.payload().get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                    .isEqualTo(i);
        }
        posting.join();
        Patience.await("the records of all messages", () -> peer.counters().get("sent") == count);
        assertThat(peer.counters().get("under_way")).isZero();
    }

    /** S8.17, S6.7: the failure of a posted message is noticed without another call, and later ones are delivered. */
    @Rule({"S8.17", "S6.7"})
    @Test
    void failureOfAPostedMessageIsNoticed() {
        MessageChannel small = other(Options.builder().maxMessageBytes(64).build());
        Peer peer = here.connect(small.share());
        for (int round = 0; round < 20; round++) {
            long failures = round + 1L;
            peer.post(MemorySegment.ofArray(new byte[65]), OptionalLong.empty());
            Patience.await("the failure", () -> peer.counters().get("failed") == failures);
            peer.post(MemorySegment.ofArray(new byte[8]), OptionalLong.of(2L * round));
            peer.post(MemorySegment.ofArray(new byte[8]), OptionalLong.of(2L * round + 1));
            assertThat(next(small).immediate()).hasValue(2L * round);
            assertThat(next(small).immediate()).hasValue(2L * round + 1);
        }
        Patience.await("the records of all messages", () -> peer.counters().get("under_way") == 0);
        assertThat(peer.counters().get("failed")).isEqualTo(20);
        assertThat(peer.counters().get("sent")).isEqualTo(40);
    }

    /** S8.17: a post waits for a send buffer, and not longer than the channel's timeout. */
    @Rule({"S8.17", "S12.6"})
    @Test
    void postWithoutABufferInTimeIsRefused() {
        MessageChannel full = other(Options.builder().receiveBuffers(1).build());
        MessageChannel hasty = pair.initiator()
                .context()
                .openMessageChannel(Options.builder()
                        .sendBuffers(2)
                        .sendTimeout(Duration.ofMillis(100))
                        .build());
        Peer peer = hasty.connect(full.share());
        MemorySegment payload = MemorySegment.ofArray(new byte[8]);
        assertRefused(UrmaStatus.ETIMEOUT, () -> {
                    for (int i = 0; i < 100; i++) {
                        peer.post(payload, OptionalLong.empty());
                    }
                })
                .hasMessageContaining("2 send buffers");
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> peer.post(MemorySegment.ofArray(new byte[1 << 20]), OptionalLong.empty()))
                .hasMessageContaining("maxMessageBytes");
    }

    /** S8.17: a thread that polls takes each message once, and never waits. */
    @Rule("S8.17")
    @Test
    void pollTakesEachMessageOnce() {
        assertThat(there.poll()).isEmpty();
        Peer peer = here.connect(there.share());
        int count = 500;
        CompletableFuture<Void> posting = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                peer.post(MemorySegment.ofArray(new byte[i % 100]), OptionalLong.of(i));
            }
        });
        for (int i = 0; i < count; i++) {
            Message message = polled(there);
            assertThat(message.immediate()).hasValue(i);
            assertThat(message.payload().byteSize()).isEqualTo(i % 100);
        }
        posting.join();
        assertThat(there.poll()).isEmpty();
        there.close();
        assertRefused(UrmaStatus.EINVAL, () -> there.poll()).hasMessageContaining("is closed");
    }

    private static Message polled(MessageChannel channel) {
        long begunNanos = System.nanoTime();
        while (System.nanoTime() - begunNanos < LIMIT.toNanos()) {
            Optional<Message> message = channel.poll();
            if (message.isPresent()) {
                return message.get();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no message within " + LIMIT);
    }

    /** Short messages are delivered once, or their send fails as possibly undelivered. */
    @Rule({"S6.7", "S6.8"})
    @Test
    void messagesBesideFailingOnesAreDeliveredOnceOrTold() {
        MessageChannel small = other(Options.builder().maxMessageBytes(64).build());
        Peer peer = here.connect(small.share());
        CompletableFuture<Void> failing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 50; i++) {
                var _ = catchThrowableOfType(UrmaException.class, () -> peer.send(new byte[65]));
            }
        });
        int count = 500;
        boolean[] promised = new boolean[count];
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                int number = i;
                promised[i] = catchThrowableOfType(
                                OperationFailedException.class,
                                () -> peer.send(MemorySegment.ofArray(new long[] {number}), OptionalLong.empty()))
                        == null;
            }
            failing.join();
            peer.send(MemorySegment.ofArray(new long[] {-1}), OptionalLong.empty());
        });
        long last = -1;
        boolean[] seen = new boolean[count];
        while (true) {
            long number = next(small).payload().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            if (number < 0) {
                break;
            }
            assertThat(number).as("in order, and once").isGreaterThan(last);
            seen[(int) number] = true;
            last = number;
        }
        sending.join();
        for (int i = 0; i < count; i++) {
            assertThat(seen[i] || !promised[i]).as("message %d was promised", i).isTrue();
        }
    }

    /** The receiver never knew the sender. */
    @Rule("S8.16")
    @Test
    void aMessageIsAnsweredThoughItsSenderIsUnknown() {
        Peer server = here.connect(there.share());
        server.sendWithReply(text("with a number"), REPLY_MARK);
        server.sendWithReply(new byte[0]);
        server.send(text("plain"), 5);

        Message first = next(there);
        Message second = next(there);
        Message plain = next(there);
        assertThat(first.bytes()).isEqualTo(text("with a number"));
        assertThat(first.payload().isReadOnly()).isTrue();
        assertThat(first.immediate()).hasValue(REPLY_MARK);
        assertThat(first.replyTo().orElseThrow().descriptor().id()).isEqualTo(here.id());
        assertThat(second.bytes()).isEmpty();
        assertThat(second.immediate()).isEmpty();
        assertThat(plain.bytes()).isEqualTo(text("plain"));
        assertThat(plain.replyTo()).isEmpty();

        there.reply(second, text("answer"));
        there.reply(first, text("again"), -7);
        try (Peer asker = there.connect(first.replyTo().orElseThrow())) {
            asker.sendWithReply(text("and you?"));
        }
        Message answer = next(here);
        assertThat(answer.bytes()).isEqualTo(text("answer"));
        assertThat(answer.replyTo()).isEmpty();
        assertThat(server.sent(answer)).isTrue();
        assertThat(next(here).immediate()).hasValue(-7);
        Message question = next(here);
        here.reply(question, text("fine"));
        assertThat(question.bytes()).isEqualTo(text("and you?"));
        assertThat(next(there).bytes()).isEqualTo(text("fine"));
        assertThat(there.counters().get("reply_peers")).isEqualTo(1);
        assertThat(there.counters().get("bad_reply_addresses")).isZero();
    }

    @Rule({"S8.16", "S13.2"})
    @Test
    void initiatorAndHomeAnswerEachOther() {
        HomeChannel home = pair.home().messageChannel();
        HomeChannel mine = new LocalHomeChannel(here);
        for (int round = 0; round < 10; round++) {
            byte[] question = new Payload(round).bytes(0, 1 + 500 * round);

            mine.sendWithReply(home.share(), question);
            assertThat(home.answerNext()).isEqualTo(question);
            assertThat(mine.next()).isEqualTo(LocalHomeChannel.reversed(question));

            home.sendWithReply(mine.share(), question);
            assertThat(mine.answerNext()).isEqualTo(question);
            assertThat(home.next()).isEqualTo(LocalHomeChannel.reversed(question));
        }
    }

    @Rule("S8.16")
    @Test
    void whatCannotBeAnsweredIsRefused() {
        Peer peer = here.connect(there.share());
        peer.send(text("plain"));
        Message plain = next(there);
        assertRefused(UrmaStatus.EINVAL, () -> there.reply(plain, new byte[0])).hasMessageContaining("sendWithReply");
        assertRefused(UrmaStatus.EINVAL, () -> peer.sendWithReply(new byte[8192]))
                .hasMessageContaining("with a reply address of");

        MessageChannel asker = pair.initiator().context().openMessageChannel();
        asker.connect(there.share()).sendWithReply(text("?"));
        Message question = next(there);
        assertRefused(UrmaStatus.EINVAL, () -> there.reply(question, new byte[8193]))
                .hasMessageContaining("maxMessageBytes");
        there.reply(question, text("heard"));
        asker.close();
        for (int i = 0; i < 2; i++) { // by the import that is kept, then by a new one
            assertThat(catchThrowableOfType(UrmaException.class, () -> there.reply(question, text("anybody?"))))
                    .isNotNull();
        }
        assertThat(there.counters().get("reply_peers")).isZero();
        there.close();
        assertRefused(UrmaStatus.EINVAL, () -> there.reply(question, new byte[0]))
                .hasMessageContaining("is closed");
    }

    /** The message as it is sent: with a changed bit in each byte, cut off, and with addresses of others. */
    @Rule("S8.16")
    @Test
    void aReplyAddressThatIsGarbledOrForgedIsNotBelieved() {
        SharedJetty mine = SharedJetty.parse(here.share());
        JettyId id = mine.descriptor().id();
        byte[] right = questionFrom(mine.toLine());
        List<byte[]> wrong = new ArrayList<>();
        for (int i = 0; i < right.length; i++) {
            byte[] changed = right.clone();
            changed[i] ^= (byte) 0x80;
            wrong.add(changed);
        }
        for (int length : new int[] {0, 1, 11, 12, right.length - 1}) {
            wrong.add(Arrays.copyOf(right, length));
        }
        wrong.add(questionFrom(""));
        wrong.add(questionFrom("x".repeat(5000)));
        wrong.add(questionFrom(here.share().substring(1)));
        wrong.add(questionFrom(mine.descriptor().toText()));
        wrong.add(questionFrom(withId(mine, new JettyId(id.eid(), id.uasid() ^ 1, id.id()))));
        wrong.add(questionFrom(withId(mine, new JettyId(new Eid(~id.eid().high(), 1), id.uasid(), id.id()))));

        Peer peer = here.connect(there.share());
        for (byte[] bytes : wrong) {
            peer.send(bytes, REPLY_MARK);
            Message message = next(there);
            assertThat(message.replyTo()).isEmpty();
            assertThat(message.immediate()).hasValue(REPLY_MARK);
            assertThat(message.bytes()).isEqualTo(bytes);
        }
        assertThat(there.counters().get("bad_reply_addresses")).isEqualTo(wrong.size());

        peer.send(right, REPLY_MARK);
        there.reply(next(there), text("you it was"));
        assertThat(next(here).bytes()).isEqualTo(text("you it was"));
        assertThat(there.counters().get("reply_peers")).isEqualTo(1);
    }

    /** Of its own context by name, of a third one by its endpoints, and even with that one's token. */
    @Rule({"S8.16", "S5.6"})
    @Test
    void aReplyAddressLeadsToNoThirdContext() {
        MessageChannel third = pair.anotherInitiator().context().openMessageChannel();
        SharedJetty victim = SharedJetty.parse(third.share());
        String line = withId(
                victim,
                new JettyId(
                        here.id().eid(),
                        here.id().uasid(),
                        victim.descriptor().id().id()));
        here.connect(there.share()).send(questionFrom(line), REPLY_MARK);
        Message question = next(there);

        assertThat(catchThrowableOfType(UrmaException.class, () -> there.reply(question, text("not for you"))))
                .isNotNull();
        assertThat(third.receive(Patience.WATCH)).isEmpty();
    }

    /** The bytes of a message with a reply address, by hand. */
    private static byte[] questionFrom(String line) {
        byte[] address = text(line);
        return ByteBuffer.allocate(12 + address.length)
                .put((byte) 1) // version
                .put((byte) 0) // no immediate
                .putShort((short) address.length)
                .putLong(0)
                .put(address)
                .array();
    }

    private static String withId(SharedJetty of, JettyId id) {
        JettyDescriptor old = of.descriptor();
        JettyDescriptor named = new JettyDescriptor(
                id, old.kind(), old.incarnation(), old.mode(), old.orderType(), old.policy(), old.endpoints());
        return new SharedJetty(named, of.token()).toLine();
    }

    /** Imports for answers are kept for a number of senders; those beyond are answered all the same. */
    @Rule("S8.16")
    @Test
    void moreSendersThanAreKeptAreAnsweredAll() {
        Options small = Options.builder()
                .maxMessageBytes(1024)
                .receiveBuffers(2)
                .sendBuffers(1)
                .build();
        List<MessageChannel> askers = new ArrayList<>();
        List<Peer> servers = new ArrayList<>();
        for (int i = 0; i < KEPT_FOR_REPLIES + 6; i++) {
            MessageChannel asker = pair.initiator().context().openMessageChannel(small);
            askers.add(asker);
            servers.add(asker.connect(there.share()));
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < askers.size(); i++) {
                servers.get(i).sendWithReply(new byte[0], i);
                Message question = next(there);
                there.reply(question, new byte[0], question.immediate().orElseThrow());
                assertThat(next(askers.get(i)).immediate()).hasValue(i);
            }
        }
        assertThat(there.counters().get("reply_peers")).isEqualTo(KEPT_FOR_REPLIES);
    }

    @Rule({"S8.16", "S12.4", "S12.6"})
    @Test
    void answerToAProcessThatDiedFailsInTime() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        Options hasty = Options.builder().sendTimeout(Duration.ofSeconds(3)).build();
        MessageChannel mine = pair.initiator().context().openMessageChannel(hasty);
        HomeChannel home = pair.home().messageChannel();
        home.sendWithReply(mine.share(), text("first"));
        Message answered = next(mine);
        mine.reply(answered, text("heard"));
        HomeChannel other = pair.home().messageChannel();
        other.sendWithReply(mine.share(), text("second"));
        Message unanswered = next(mine);

        processOfHome().kill();

        for (Message question : List.of(answered, unanswered)) {
            CompletableFuture<Void> answer = async(() -> mine.reply(question, text("anybody?")));
            assertThat(answer).failsWithin(LIMIT);
            assertThat(answer.exceptionNow()).isInstanceOf(UrmaException.class);
        }
        there.connect(mine.share()).sendWithReply(text("alive"));
        mine.reply(next(mine), text("still here"));
        assertThat(next(there).bytes()).isEqualTo(text("still here"));
        mine.close();
    }

    @Rule("S5.6")
    @Test
    void aWrongTokenConnectsNobody() {
        SharedJetty right = SharedJetty.parse(there.share());
        String line = new SharedJetty(right.descriptor(), Token.of(right.token().value() + 1)).toLine();
        assertRefused(UrmaStatus.ENOPERM, () -> here.connect(line));
    }

    @Rule("S4.2")
    @Test
    void aClosedPeerFailsItsSendersAlone() {
        MessageChannel shortLived = other(Options.DEFAULT);
        Peer gone = here.connect(shortLived.share());
        Peer peer = here.connect(there.share());
        gone.send(text("hello"));
        shortLived.close();
        assertThat(catchThrowableOfType(UrmaException.class, () -> gone.send(text("anybody?"))))
                .isNotNull();
        peer.send(text("still here"));
        assertThat(next(there).bytes()).isEqualTo(text("still here"));
    }

    @Rule("S4.2")
    @Test
    void whoWaitsSeesTheChannelClosed() {
        CompletableFuture<Throwable> seen = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(UrmaException.class, () -> here.receive(LIMIT)));
        assertThat(here.receive(Patience.WATCH)).isEmpty();
        here.close();
        assertThat(seen.join()).hasMessage(here + ": is closed (EINVAL)");
    }

    /** If each message woke all waiters, there would be some hundred wake-ups per message. */
    @Rule({"S11.4", "S13.1"})
    @Test
    void manyThreadsOnOnePeerAreWokenAFewTimesEach() {
        int threads = Patience.amount(3000, 300);
        Peer peer = here.connect(there.share());
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            byte[] message = {(byte) i, (byte) (i >> 8)};
            sends.add(CompletableFuture.runAsync(
                    () -> peer.send(message), task -> Thread.ofVirtual().start(task)));
        }
        boolean[] seen = new boolean[threads];
        for (int i = 0; i < threads; i++) {
            byte[] message = next(there).bytes();
            int number = message[0] & 0xff | (message[1] & 0xff) << 8;
            assertThat(seen[number]).as("message %d came before", number).isFalse();
            seen[number] = true;
        }
        assertThat(CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new)))
                .succeedsWithin(LIMIT);
        assertThat(peer.counters().get("sent")).isEqualTo(threads);
        long wakeUps = peer.counters().get("wake_ups");
        System.out.println("MessageChannel: " + threads + " threads were woken " + wakeUps + " times");
        assertThat(wakeUps).isLessThan(4L * threads);
    }
}
