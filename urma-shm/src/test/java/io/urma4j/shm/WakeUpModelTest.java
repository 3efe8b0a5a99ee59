package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.Interleavings;
import io.urma4j.tck.Interleavings.Found;
import io.urma4j.tck.Interleavings.Program;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No wake-up is lost, in any order of steps and with any delay of stores: checks all {@link Interleavings} of sender,
 * polling thread, waiting thread and engine. The model has no time. The engine's tick and its check each second, which
 * would hide a lost wake-up, are left out, or happen only where the argument needs them.
 *
 * <p>Each model is shown to find bugs: without a fence, or with the check before the flag, it finds the lost wake-up. A
 * comment beside the steps names the method that they model.
 */
@Timeout(120)
class WakeUpModelTest {
    private static final int TAKEN = 0; // registers: what a thread has had so far, and two for its looks
    private static final int ONE = 1;
    private static final int OTHER = 2;

    // ---- the flag of a path

    enum FlagFault {
        NO_FENCE_OF_THE_SENDER,
        NO_FENCE_OF_THE_RECEIVER,
        LOOK_BEFORE_THE_FLAG,
        NO_SECOND_LOOK
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aReceiverHearsOfEachMessage(int messages) {
        Found found = flag(messages, EnumSet.noneOf(FlagFault.class));

        assertThat(found.stuck()).isEmpty();
        System.out.println("WakeUpModelTest: " + messages + " messages, " + found.states() + " states");
    }

    @ParameterizedTest
    @EnumSource(FlagFault.class)
    void aPathThatSkipsAStepLosesAWakeUp(FlagFault fault) {
        assertThat(flag(1, EnumSet.of(fault)).stuck()).isPresent();
    }

    private static Found flag(int messages, EnumSet<FlagFault> faults) {
        Interleavings all = new Interleavings();
        Program sender = all.thread("sender");
        for (int i = 1; i <= messages; i++) {
            sender.store("committed", i); // RingLayout.commit
            wakePeer(sender, "asleep", "wake", "sent" + i, !faults.contains(FlagFault.NO_FENCE_OF_THE_SENDER));
        }
        Program receiver = all.thread("receiver");
        receiver.mark("look") // Progress.takeAll, RingReceiver.isReady
                .load(ONE, "committed")
                .jumpIfSame(TAKEN, ONE, "empty")
                .add(TAKEN, 1)
                .jumpIf(TAKEN, messages, "end")
                .jump("look")
                .mark("empty");
        if (faults.contains(FlagFault.LOOK_BEFORE_THE_FLAG)) {
            lookAgain(receiver);
        }
        receiver.store("asleep", 1); // Progress.askForWakeUps, RingLayout.setAsleep: there it fences already, on x86
        if (!faults.contains(FlagFault.NO_FENCE_OF_THE_RECEIVER)) {
            receiver.fence();
        }
        if (!faults.contains(FlagFault.LOOK_BEFORE_THE_FLAG) && !faults.contains(FlagFault.NO_SECOND_LOOK)) {
            lookAgain(receiver);
        }
        receiver.await("wake") // Engine.await
                .jump("look")
                .mark("end");
        return all.explore();
    }

    /** Progress.turnInTime: MessagePath.hasWork for the last time. */
    private static void lookAgain(Program receiver) {
        receiver.load(ONE, "committed")
                .jumpIfSame(TAKEN, ONE, "nothing")
                .jump("look")
                .mark("nothing");
    }

    /** SendPath.wakePeer, RingLayout.takeAsleep. */
    private static void wakePeer(Program sender, String flag, String event, String done, boolean fence) {
        if (fence) {
            sender.fence();
        }
        sender.load(ONE, flag)
                .jumpIf(ONE, 0, done)
                .compareAndSet(flag, 1, 0, done)
                .signal(event)
                .mark(done)
                .forget(ONE);
    }

    /** Two threads send by one path: the first that finds the flag wakes the receiver for both. */
    @Test
    void aReceiverHearsOfTheMessagesOfTwoThreads() {
        Interleavings all = new Interleavings();
        for (String name : new String[] {"first", "second"}) {
            Program sender = all.thread(name);
            sender.acquire("sending") // SendPath.sendShort
                    .load(ONE, "committed")
                    .store("committed", ONE, 1)
                    .release("sending");
            wakePeer(sender, "asleep", "wake", "sent", true);
        }
        receiverOf(all, "committed", 2);

        assertThat(all.explore().stuck()).isEmpty();
    }

    private static void receiverOf(Interleavings all, String committed, int messages) {
        all.thread("receiver")
                .mark("look")
                .load(ONE, committed)
                .jumpIfSame(TAKEN, ONE, "empty")
                .add(TAKEN, 1)
                .jumpIf(TAKEN, messages, "end")
                .jump("look")
                .mark("empty")
                .store("asleep", 1)
                .fence()
                .load(ONE, committed)
                .jumpIfSame(TAKEN, ONE, "nothing")
                .jump("look")
                .mark("nothing")
                .await("wake")
                .jump("look")
                .mark("end");
    }

    /** An engine with two peers sets both flags, fences once, and checks both rings. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneFenceIsEnoughForAllPaths(boolean fence) {
        Interleavings all = new Interleavings();
        for (String path : new String[] {"A", "B"}) {
            Program sender = all.thread("sender " + path);
            sender.store("committed " + path, 1);
            wakePeer(sender, "asleep " + path, "wake", "sent", true);
        }
        Program engine = all.thread("engine");
        engine.mark("look")
                .load(ONE, "committed A")
                .load(OTHER, "committed B")
                .jumpIf(ONE, 0, "empty")
                .jumpIf(OTHER, 0, "empty")
                .jump("end")
                .mark("empty")
                .load(TAKEN, "committed A") // which paths' messages it has received; it checks only the other
                .store("asleep A", 1)
                .store("asleep B", 1);
        if (fence) {
            engine.fence();
        }
        engine.load(ONE, "committed A")
                .load(OTHER, "committed B")
                .jumpIf(OTHER, 1, "B is there")
                .jumpIfSame(ONE, TAKEN, "sleep")
                .jump("look")
                .mark("B is there")
                .jumpIf(ONE, 1, "end")
                .mark("sleep")
                .await("wake")
                .jump("look")
                .mark("end");

        assertThat(all.explore().stuck().isEmpty()).isEqualTo(fence);
    }

    // ---- the arming of a JFC

    enum ArmingFault {
        NO_LOOK_AFTER_ARMING,
        LOOK_BEFORE_ARMING,
        NO_FLAG,
        RINGS_BEFORE_THE_FLAG,
        NO_FENCE
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoRearmsAndWaitsHearsOfEachRecord(int messages) {
        Found found = arming(messages, EnumSet.noneOf(ArmingFault.class));

        assertThat(found.stuck()).isEmpty();
        System.out.println("WakeUpModelTest: " + messages + " records, " + found.states() + " states");
    }

    @ParameterizedTest
    @EnumSource(ArmingFault.class)
    void anArmingThatSkipsAStepLosesAWakeUp(ArmingFault fault) {
        assertThat(arming(1, EnumSet.of(fault)).stuck()).isPresent();
    }

    /**
     * A sender, a thread that polls until nothing is there, rearms and waits, and the engine between them. While a
     * thread polls, the engine leaves the rings alone and only checks them each millisecond. The model omits even this
     * check, and so shows that the waiting thread depends on no tick.
     */
    private static Found arming(int messages, EnumSet<ArmingFault> faults) {
        Interleavings all = new Interleavings();
        Program sender = all.thread("sender");
        for (int i = 1; i <= messages; i++) {
            sender.store("committed", i);
            wakePeer(sender, "asleep", "wake", "sent" + i, true);
        }
        waiter(all.thread("waiter"), messages, faults);
        engine(all.server("engine"));
        return all.explore();
    }

    private static void waiter(Program waiter, int messages, EnumSet<ArmingFault> faults) {
        waiter.mark("poll") // JfcRecords.pollShared
                .load(ONE, "records")
                .jumpIfSame(TAKEN, ONE, "empty")
                .add(TAKEN, 1)
                .jumpIf(TAKEN, messages, "end")
                .jump("poll")
                .mark("empty"); // ShmJfc.takeAfterProgress
        receive(waiter, "polled", false);
        waiter.load(ONE, "records").jumpIfSame(TAKEN, ONE, "rearm").jump("poll").mark("rearm"); // JfcRecords.arm
        if (faults.contains(ArmingFault.LOOK_BEFORE_ARMING)) {
            waiter.load(ONE, "records")
                    .jumpIfSame(TAKEN, ONE, "none")
                    .jump("poll")
                    .mark("none");
        }
        waiter.acquire("jfc");
        if (!faults.contains(ArmingFault.NO_LOOK_AFTER_ARMING) && !faults.contains(ArmingFault.LOOK_BEFORE_ARMING)) {
            waiter.load(ONE, "records")
                    .jumpIfSame(TAKEN, ONE, "arm")
                    .release("jfc")
                    .signal("event") // it is there already
                    .jump("wait")
                    .mark("arm");
        }
        waiter.store("armed", 1).getAndAdd("armedJfcs", 1).release("jfc"); // JfcRecords.setArmed
        prepareWait(waiter, faults);
        waiter.mark("wait")
                .await("event") // Jfce.await
                .jump("poll")
                .mark("end");
    }

    /** Progress.prepareWait. */
    private static void prepareWait(Program waiter, EnumSet<ArmingFault> faults) {
        if (faults.contains(ArmingFault.RINGS_BEFORE_THE_FLAG)) {
            receive(waiter, "early", true);
        }
        if (!faults.contains(ArmingFault.NO_FLAG)) {
            waiter.store("asleep", 1);
        }
        if (!faults.contains(ArmingFault.NO_FENCE)) {
            waiter.fence();
        }
        if (!faults.contains(ArmingFault.RINGS_BEFORE_THE_FLAG)) {
            receive(waiter, "last", true);
        }
    }

    /** Progress.turnInTime. Whether there were polls, and when, is left open: both are tried. */
    private static void engine(Program engine) {
        engine.either("rest") // it begins while others poll: no flag is set
                .mark("turn")
                .set(TAKEN, 0)
                .either("no poller")
                .load(ONE, "armedJfcs")
                .jumpIf(ONE, 1, "no poller")
                .set(TAKEN, 1) // leaveIt
                .either("rest") // wasTicking
                .mark("no poller");
        receive(engine, "taken", true);
        engine.jumpIf(TAKEN, 1, "rest")
                .store("asleep", 1)
                .fence()
                .load(ONE, "position")
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, "rest")
                .jump("turn")
                .mark("rest")
                .forget(TAKEN, ONE, OTHER)
                .await("wake")
                .jump("turn");
    }

    /** MessagePath.receive until nothing is there: each message becomes a record, and fires a JFC that is armed. */
    private static void receive(Program who, String round, boolean insist) {
        who.mark(round).load(ONE, "position").load(OTHER, "committed").jumpIfSame(ONE, OTHER, round + " none");
        if (insist) {
            who.acquire("receiving");
        } else {
            who.tryAcquire("receiving", round + " none");
        }
        who.load(ONE, "position") // RingReceiver.take
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, round + " late")
                .acquire("jfc") // ShmReceiveQueue.takeShort
                .load(OTHER, "records")
                .store("records", OTHER, 1) // CompletionRing.push
                .load(OTHER, "armed") // JfcRecords.fireIfArmed
                .jumpIf(OTHER, 0, round + " pushed")
                .store("armed", 0)
                .getAndAdd("armedJfcs", -1)
                .signal("event")
                .mark(round + " pushed")
                .release("jfc")
                .store("position", ONE, 1) // RingReceiver.answerTakenLater
                .release("receiving")
                .jump(round)
                .mark(round + " late")
                .release("receiving")
                .mark(round + " none")
                .forget(ONE, OTHER);
    }

    // ---- answers that are held back

    enum HoldingFault {
        NO_FENCE_AFTER_TELLING,
        ENGINE_FORGETS_THEM,
        POSITION_BEFORE_HELD,
        LOOK_BEFORE_THE_FLAG
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoWaitsForAnswersHearsOfEachThatIsHeldBack(int messages) {
        Found found = holding(messages, EnumSet.noneOf(HoldingFault.class));

        assertThat(found.stuck()).isEmpty();
        System.out.println("WakeUpModelTest: " + messages + " answers held back, " + found.states() + " states");
    }

    @ParameterizedTest
    @EnumSource(HoldingFault.class)
    void answersHeldBackWithoutAStepAreLost(HoldingFault fault) {
        assertThat(holding(1, EnumSet.of(fault)).stuck()).isPresent();
    }

    /** The poller takes messages, holds their answers back, polls once more or does not, and never comes back. */
    private static Found holding(int messages, EnumSet<HoldingFault> faults) {
        Interleavings all = new Interleavings();
        Program sender = all.thread("sender");
        for (int i = 1; i <= messages; i++) {
            sender.store("committed", i);
            wakePeer(sender, "receiver asleep", "wake receiver", "sent" + i, true);
        }
        boolean early = faults.contains(HoldingFault.LOOK_BEFORE_THE_FLAG);
        sender.mark("look").load(ONE, "told").jumpIf(ONE, messages, "end"); // RingSender.peekAnswer
        sender.store("sender asleep", 1).fence(); // Progress.prepareWait
        if (!early) {
            sender.load(ONE, "told").jumpIf(ONE, messages, "end");
        }
        sender.await("wake sender").jump("look").mark("end");

        Program poller = all.server("poller");
        int polls = messages == 1 ? 2 : 1; // with more of both, it takes minutes and finds nothing else
        for (int i = 0; i < polls; i++) {
            poll(poller, "poll" + i, faults);
        }
        engineThatTells(all.server("engine"), faults);
        return all.explore();
    }

    /** Progress.poll and MessagePath.receive, without insisting: the answer to a single message may be held back. */
    private static void poll(Program poller, String round, EnumSet<HoldingFault> faults) {
        poller.load(ONE, "polls")
                .store("polls", ONE, 1)
                .load(ONE, "position")
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, round + " not ready")
                .tryAcquire("receiving", round + " over")
                .load(ONE, "position")
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, round + " late");
        takeOne(poller, faults);
        poller.load(ONE, "position").load(OTHER, "committed").jumpIfSame(ONE, OTHER, round + " single");
        takeOne(poller, faults);
        poller.jump(round + " tell")
                .mark(round + " single")
                .either(round + " tell") // DelayedAnswers.replies: it is a guess
                .mark(round + " late")
                .release("receiving")
                .jump(round + " over")
                .mark(round + " not ready") // DelayedAnswers.noReply
                .load(ONE, "held")
                .jumpIf(ONE, 0, round + " over")
                .tryAcquire("receiving", round + " over")
                .mark(round + " tell");
        tellHeld(poller, round + " over", faults);
        poller.forget(OTHER);
    }

    /** RingReceiver.answerTakenLater. */
    private static void takeOne(Program who, EnumSet<HoldingFault> faults) {
        if (faults.contains(HoldingFault.POSITION_BEFORE_HELD)) {
            who.load(ONE, "position")
                    .store("position", ONE, 1)
                    .load(OTHER, "held")
                    .store("held", OTHER, 1);
        } else {
            who.load(OTHER, "held")
                    .store("held", OTHER, 1)
                    .load(ONE, "position")
                    .store("position", ONE, 1);
        }
    }

    /** RingReceiver.tellHeld under the claim to receive, then SendPath.wakePeer. */
    private static void tellHeld(Program who, String done, EnumSet<HoldingFault> faults) {
        who.load(ONE, "position")
                .store("told", ONE, 0)
                .store("held", 0)
                .release("receiving")
                .forget(OTHER);
        boolean fence = !faults.contains(HoldingFault.NO_FENCE_AFTER_TELLING);
        wakePeer(who, "sender asleep", "wake sender", done, fence);
    }

    /** Progress.turnInTime; while polls are seen it comes again by its tick, which here takes no time. */
    private static void engineThatTells(Program engine, EnumSet<HoldingFault> faults) {
        boolean forgets = faults.contains(HoldingFault.ENGINE_FORGETS_THEM);
        engine.mark("turn")
                .forget(ONE, OTHER)
                .load(ONE, "polls")
                .jumpIfSame(TAKEN, ONE, "quiet")
                .load(TAKEN, "polls")
                .jump("turn") // leaveIt
                .mark("quiet") // takeAll
                .load(ONE, "position")
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, "not ready")
                .acquire("receiving")
                .mark("take")
                .load(ONE, "position")
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, "tell");
        takeOne(engine, faults);
        engine.jump("take").mark("not ready");
        if (!forgets) {
            engine.load(ONE, "held").jumpIf(ONE, 0, "done").acquire("receiving").mark("tell");
        }
        if (forgets) {
            engine.jump("done").mark("tell");
        }
        tellHeld(engine, "told", faults);
        engine.jump("quiet")
                .mark("done")
                .forget(ONE, OTHER)
                .store("receiver asleep", 1) // askForWakeUps
                .fence()
                .load(ONE, "position") // MessagePath.hasWork
                .load(OTHER, "committed")
                .jumpIfSame(ONE, OTHER, "no message")
                .jump("turn")
                .mark("no message");
        if (!forgets) {
            engine.load(ONE, "held").jumpIf(ONE, 0, "sleep").jump("turn").mark("sleep");
        }
        engine.forget(ONE, OTHER).await("wake receiver").jump("turn");
    }
}
