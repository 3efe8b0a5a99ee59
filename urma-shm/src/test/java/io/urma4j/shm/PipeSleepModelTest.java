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
 * No reader of a mapped pipe sleeps beside a message, in any order of the steps of both ends. The writer has no fence between
 * its store of a frame's word and its look at the flag. In its place the reader lets some time pass between raising the flag
 * and its last look, in which store buffers drain. The reader's look each quarter of a second is left out here.
 */
@Timeout(120)
class PipeSleepModelTest {
    private static final int TAKEN = 0;
    private static final int ONE = 1;

    enum Fault {
        NO_FENCE_OF_THE_READER,
        NO_TIME_BETWEEN,
        NO_SECOND_LOOK,
        LOOK_BEFORE_THE_FRAME,
        WAKE_BEFORE_THE_FLAG_IS_LOWERED
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aReaderHearsOfEachMessage(int messages) {
        Found found = model(messages, EnumSet.noneOf(Fault.class));

        assertThat(found.stuck()).isEmpty();
        System.out.println("PipeSleepModelTest: " + messages + " messages, " + found.states() + " states");
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void aStepThatIsLeftOutLosesAWakeUp(Fault fault) {
        assertThat(model(2, EnumSet.of(fault)).stuck()).isPresent();
    }

    /** The reader stops waiting, as when its time is over, and sleeps again: an old wake-up may come then. */
    @Test
    void aReaderThatGaveUpOnceHearsOfTheNextMessage() {
        Interleavings all = new Interleavings();
        writer(all, 2, EnumSet.noneOf(Fault.class));
        Program reader = all.thread("reader");
        sleep(reader, "first", 2, EnumSet.noneOf(Fault.class));
        reader.either("goes on").await("wake").mark("goes on").store("asleep", 0); // ReaderSleep.disarm
        reader.mark("again");
        sleep(reader, "second", 2, EnumSet.noneOf(Fault.class));
        reader.await("wake").jump("again").mark("end");

        assertThat(all.explore().stuck()).isEmpty();
    }

    private static Found model(int messages, EnumSet<Fault> faults) {
        Interleavings all = new Interleavings();
        writer(all, messages, faults);
        Program reader = all.thread("reader").mark("start");
        sleep(reader, "", messages, faults);
        reader.await("wake").jump("start").mark("end");
        return all.explore();
    }

    /** MappedPipe.put, and ReaderWakeUp.wake after it. */
    private static void writer(Interleavings all, int messages, EnumSet<Fault> faults) {
        Program writer = all.thread("writer");
        for (int i = 1; i <= messages; i++) {
            String done = "sent" + i;
            if (faults.contains(Fault.LOOK_BEFORE_THE_FRAME)) {
                writer.load(ONE, "asleep").store("word", i);
            } else {
                writer.store("word", i).load(ONE, "asleep");
            }
            writer.jumpIf(ONE, 0, done);
            if (faults.contains(Fault.WAKE_BEFORE_THE_FLAG_IS_LOWERED)) {
                writer.signal("wake").store("asleep", 0);
            } else {
                writer.store("asleep", 0).fence().signal("wake"); // by another thread: the hand-over fences
            }
            writer.mark(done).forget(ONE);
        }
    }

    /** PipeReader.sleepUntil, up to the sleep; goes to "end" with the last message. */
    private static void sleep(Program reader, String name, int messages, EnumSet<Fault> faults) {
        look(reader, "first look" + name, messages);
        reader.store("asleep", 1); // ReaderSleep.arm
        if (!faults.contains(Fault.NO_FENCE_OF_THE_READER)) {
            reader.fence();
        }
        if (!faults.contains(Fault.NO_TIME_BETWEEN) && !faults.contains(Fault.NO_FENCE_OF_THE_READER)) {
            reader.letStoresArrive();
        }
        if (!faults.contains(Fault.NO_SECOND_LOOK)) {
            look(reader, "last look" + name, messages);
        }
    }

    /** Takes messages until there is none. */
    private static void look(Program reader, String label, int messages) {
        reader.mark(label)
                .load(ONE, "word")
                .jumpIfSame(TAKEN, ONE, "empty" + label)
                .add(TAKEN, 1)
                .jumpIf(TAKEN, messages, "end")
                .jump(label)
                .mark("empty" + label)
                .forget(ONE);
    }
}
