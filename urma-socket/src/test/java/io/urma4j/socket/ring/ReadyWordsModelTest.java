package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.Interleavings;
import io.urma4j.tck.Interleavings.Found;
import io.urma4j.tck.Interleavings.Program;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No selector sleeps beside a byte of one of its connections, in any order of the steps of both processes. A comment beside the
 * steps names the method that they model. An atomic operation of the model fences, as it does on x86.
 */
@Timeout(120)
class ReadyWordsModelTest {
    private static final int TAKEN_A = 0;
    private static final int TAKEN_B = 1;
    private static final int LOOK = 2;

    enum Fault {
        NO_LOOK_BEFORE_THE_SLEEP,
        NO_FENCE_OF_THE_SELECTOR,
        LOOK_AT_ASLEEP_BEFORE_THE_MARK,
        GROUP_BEFORE_THE_BIT,
        BITS_CLEARED_BEFORE_THE_GROUP,
        NO_GROUP,
        NO_SECOND_LOOK_AT_THE_RING
    }

    @Test
    void aSelectorHearsOfEachByteOfOneConnection() {
        Interleavings all = new Interleavings();
        writer(all.thread("writer"), "A", 3, Set.of());
        selector(all, Set.of("A"), 3, Set.of());

        assertNoneIsLost(all.explore());
    }

    @Test
    void aSelectorHearsOfEachByteOfTwoConnections() {
        assertNoneIsLost(twoConnections(Set.of()));
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void aStepThatIsLeftOutLosesAWakeUp(Fault fault) {
        assertThat(twoConnections(EnumSet.of(fault)).stuck()).isPresent();
    }

    private static Found twoConnections(Set<Fault> faults) {
        Interleavings all = new Interleavings();
        writer(all.thread("writer A"), "A", 1, faults);
        writer(all.thread("writer B"), "B", 1, faults);
        selector(all, Set.of("A", "B"), 1, faults);
        return all.explore();
    }

    private static void assertNoneIsLost(Found found) {
        assertThat(found.stuck()).isEmpty();
        System.out.println("ReadyWordsModelTest: " + found.states() + " states");
    }

    /** The thread of A is stopped before it rings, and B is heard all the same. */
    @Test
    void aThreadThatIsStoppedBeforeItRingsHoldsNoOther() {
        assertThat(besideAStoppedThread(false).stuck()).isEmpty();
    }

    /** So the peer does not clear the word that it sees. */
    @Test
    void aWordAsleepThatTheFirstToRingClearsHoldsTheOthers() {
        assertThat(besideAStoppedThread(true).stuck()).isPresent();
    }

    private static Found besideAStoppedThread(boolean clearsAsleep) {
        Interleavings all = new Interleavings();
        Program stopped = all.server("writer A");
        stopped.store("tailA", 1).fence().compareAndSet("wantedA", 1, 0, "stopped");
        mark(stopped, "A", "stopped", Set.of());
        if (clearsAsleep) {
            stopped.compareAndSet("asleep", 1, 0, "stopped");
        }
        stopped.mark("stopped");
        Program writer = all.thread("writer B");
        writer.store("tailB", 1).fence().compareAndSet("wantedB", 1, 0, "sent");
        mark(writer, "B", "sent", Set.of());
        if (clearsAsleep) {
            writer.compareAndSet("asleep", 1, 0, "sent");
        } else {
            writer.load(LOOK, "asleep").jumpIf(LOOK, 0, "sent");
        }
        writer.signal("tcpB").signal("tcp").mark("sent");
        selectorOf(all, Set.of("A", "B"), "B", 1, Set.of());
        return all.explore();
    }

    /** RingWriter.publish, Ringer.ring */
    private static void writer(Program writer, String name, int messages, Set<Fault> faults) {
        for (int i = 1; i <= messages; i++) {
            String sent = "sent" + i;
            writer.store("tail" + name, i).fence().compareAndSet("wanted" + name, 1, 0, sent);
            if (faults.contains(Fault.LOOK_AT_ASLEEP_BEFORE_THE_MARK)) {
                writer.load(LOOK, "asleep");
                mark(writer, name, sent, faults);
            } else {
                mark(writer, name, sent, faults);
                writer.load(LOOK, "asleep");
            }
            writer.jumpIf(LOOK, 0, sent).signal("tcp" + name).signal("tcp");
            writer.mark(sent).forget(LOOK);
        }
    }

    /** ReadyWords.mark; {@code marked} begins the labels, which each thread has once. */
    private static void mark(Program writer, String name, String marked, Set<Fault> faults) {
        if (faults.contains(Fault.GROUP_BEFORE_THE_BIT)) {
            set(writer, "group", marked + "group");
            set(writer, "bit" + name, marked + "bit");
        } else {
            set(writer, "bit" + name, marked + "bit");
            if (!faults.contains(Fault.NO_GROUP)) {
                set(writer, "group", marked + "group");
            }
        }
    }

    private static void set(Program writer, String bit, String isSet) {
        writer.compareAndSet(bit, 0, 1, isSet).mark(isSet);
    }

    private static void selector(Interleavings all, Set<String> connections, int messages, Set<Fault> faults) {
        selectorOf(all, connections, "", messages, faults);
    }

    /** A selection after the other, until all bytes are read, or those of {@code last} if that is not empty. */
    private static void selectorOf(
            Interleavings all, Set<String> connections, String last, int messages, Set<Fault> faults) {
        Program selector = all.thread("selector");
        for (String name : connections) { // new keys are asked at first
            poll(selector, name, "first", connections, last, messages, faults);
        }
        selector.mark("select");
        takeMarks(selector, connections, last, messages, faults);
        for (String name : connections) { // takeSelected
            String next = "no byte of " + name;
            selector.compareAndSet("tcp" + name, 1, 0, next);
            poll(selector, name, "rung", connections, last, messages, faults);
            selector.mark(next);
        }
        selector.store("asleep", 1); // ReadySets.asleep
        if (!faults.contains(Fault.NO_FENCE_OF_THE_SELECTOR)) {
            selector.fence();
        }
        if (!faults.contains(Fault.NO_LOOK_BEFORE_THE_SLEEP)) {
            selector.load(LOOK, "group").jumpIf(LOOK, 1, "awake");
        }
        selector.await("tcp");
        selector.mark("awake").forget(LOOK).store("asleep", 0).jump("select");
        selector.mark("end");
    }

    /** ReadyWords.clear */
    private static void takeMarks(
            Program selector, Set<String> connections, String last, int messages, Set<Fault> faults) {
        boolean bitsFirst = faults.contains(Fault.BITS_CLEARED_BEFORE_THE_GROUP);
        if (!bitsFirst) {
            selector.compareAndSet("group", 1, 0, "no marks");
        }
        for (String name : connections) {
            String next = "no mark of " + name;
            selector.compareAndSet("bit" + name, 1, 0, next);
            poll(selector, name, "marked", connections, last, messages, faults);
            selector.mark(next);
        }
        if (bitsFirst) {
            selector.compareAndSet("group", 1, 0, "no marks");
        }
        selector.mark("no marks");
    }

    /** Input.isReady, and reads of all that is there. */
    private static void poll(
            Program selector,
            String name,
            String when,
            Set<String> connections,
            String last,
            int messages,
            Set<Fault> faults) {
        int taken = name.equals("A") ? TAKEN_A : TAKEN_B;
        String id = name + " " + when;
        selector.mark("look " + id).load(LOOK, "tail" + name).jumpIfSame(taken, LOOK, "empty " + id);
        selector.mark("ready " + id).add(taken, 1).forget(LOOK);
        for (String other : last.isEmpty() ? connections : Set.of(last)) {
            selector.jumpIf(other.equals("A") ? TAKEN_A : TAKEN_B, messages, "done " + other + " by " + id)
                    .jump("look " + id)
                    .mark("done " + other + " by " + id);
        }
        selector.jump("end");
        selector.mark("empty " + id).store("wanted" + name, 1).fence();
        if (!faults.contains(Fault.NO_SECOND_LOOK_AT_THE_RING)) {
            selector.load(LOOK, "tail" + name)
                    .jumpIfSame(taken, LOOK, "asks " + id)
                    .jump("ready " + id);
        }
        selector.mark("asks " + id).forget(LOOK);
    }

    enum LeavingFault {
        NO_LOOK_AFTERWARDS,
        NO_FENCE_AFTERWARDS,
        SELECTOR_BEFORE_THE_TAIL,
        SELECTOR_KEPT,
        NO_MONITOR
    }

    @Test
    void aConnectionThatLeavesItsSelectorHearsOfEachByte() {
        assertNoneIsLost(leaving(Set.of()));
    }

    @ParameterizedTest
    @EnumSource(LeavingFault.class)
    void aLeaveThatSkipsAStepLosesAWakeUp(LeavingFault fault) {
        assertThat(leaving(EnumSet.of(fault)).stuck()).isPresent();
    }

    /**
     * A thread reads from a connection whose key was cancelled, while another one deregisters that. The selector had asked for the
     * bytes, and is awake.
     */
    private static Found leaving(Set<LeavingFault> faults) {
        Interleavings all = new Interleavings();
        Program writer = all.thread("writer");
        if (faults.contains(LeavingFault.SELECTOR_BEFORE_THE_TAIL)) {
            writer.load(TAKEN_B, "left");
        }
        writer.store("tailA", 1).fence().compareAndSet("wantedA", 1, 0, "sent");
        if (!faults.contains(LeavingFault.SELECTOR_BEFORE_THE_TAIL)) {
            writer.load(TAKEN_B, "left"); // RingWriter.selector
        }
        writer.jumpIf(TAKEN_B, 1, "rings");
        mark(writer, "A", "sent", Set.of());
        writer.load(LOOK, "asleep").jumpIf(LOOK, 0, "sent");
        writer.mark("rings").signal("tcpA").mark("sent");

        Program reader = all.thread("reader");
        reader.store("wantedA", 1).fence(); // by the selector, before the key was cancelled
        if (!faults.contains(LeavingFault.SELECTOR_KEPT)) {
            leave(all.thread("selector"), faults);
            leave(reader, faults);
        }
        if (!faults.contains(LeavingFault.NO_LOOK_AFTERWARDS)) {
            reader.load(LOOK, "tailA").jumpIf(LOOK, 1, "end"); // Input.hasDataNow
        }
        reader.await("tcpA").mark("end");
        return all.explore();
    }

    /** RingReader.selectedBy */
    private static void leave(Program thread, Set<LeavingFault> faults) {
        boolean locks = !faults.contains(LeavingFault.NO_MONITOR);
        if (locks) {
            thread.acquire("monitor");
        }
        thread.load(TAKEN_A, "field").jumpIf(TAKEN_A, 1, "has left");
        thread.store("field", 1).store("left", 1);
        if (!faults.contains(LeavingFault.NO_FENCE_AFTERWARDS)) {
            thread.fence();
        }
        thread.mark("has left");
        if (locks) {
            thread.release("monitor");
        }
    }
}
