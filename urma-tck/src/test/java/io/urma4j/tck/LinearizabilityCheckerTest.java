package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The checker says yes where there is an order, and no where there is none. */
class LinearizabilityCheckerTest {
    private final LinearizabilityChecker checker = new LinearizabilityChecker(8);

    private static AtomicStep step(Opcode opcode, long operand, long expected, long result, long start, long end) {
        return new AtomicStep(opcode, 0, operand, expected, result, start, end);
    }

    private static AtomicStep add(long result, long start, long end) {
        return step(Opcode.FADD, 1, 0, result, start, end);
    }

    @Test
    void stepsOneAfterTheOtherAreInOrder() {
        assertThat(checker.objection(List.of(add(0, 0, 1), add(1, 2, 3), add(2, 4, 5))))
                .isEmpty();
    }

    @Test
    void overlappingStepsMayTakeEffectInAnyOrder() {
        assertThat(checker.objection(List.of(add(1, 0, 10), add(0, 1, 9), add(2, 2, 11))))
                .isEmpty();
    }

    @Test
    void lostUpdateIsFound() {
        assertThat(checker.objection(List.of(add(0, 0, 10), add(0, 1, 9))))
                .hasValueSatisfying(why -> assertThat(why).contains("after 1 of 2 steps"));
    }

    /** Each alone is right; only the time says that it is too old. */
    @Test
    void readOfWhatWasThereBeforeIsFound() {
        List<AtomicStep> stale = List.of(add(0, 0, 1), step(Opcode.READ, 0, 0, 0, 2, 3));

        assertThat(checker.objection(stale)).isPresent();
    }

    @Test
    void compareAndSwapThatSucceedsTwiceIsFound() {
        List<AtomicStep> both =
                List.of(step(Opcode.CAS, 1, 0, 0, 0, 10), step(Opcode.CAS, 1, 0, 0, 1, 9), add(1, 20, 21));

        assertThat(checker.objection(both)).isPresent();
    }

    @Test
    void wordsOfFourBytesWrap() {
        var narrow = new LinearizabilityChecker(4);
        List<AtomicStep> wraps = List.of(step(Opcode.FSUB, 1, 0, 0, 0, 1), step(Opcode.READ, 0, 0, 0xFFFF_FFFFL, 2, 3));

        assertThat(narrow.objection(wraps)).isEmpty();
        assertThat(checker.objection(wraps)).isPresent();
    }

    @Test
    void wordsDoNotMix() {
        AtomicStep other = new AtomicStep(Opcode.READ, 64, 0, 0, 0, 2, 3);

        assertThat(checker.objection(List.of(add(0, 0, 1), other))).isEmpty();
    }

    /** Against the plainest search there is. */
    @Test
    void agreesWithTryingAllOrders() {
        SplittableRandom random = Seed.randomFor("small histories");
        int right = 0;
        for (int i = 0; i < 3_000; i++) {
            List<AtomicStep> history = new ArrayList<>();
            for (int n = random.nextInt(1, 6); n > 0; n--) {
                long start = random.nextInt(12);
                Opcode opcode = random.nextBoolean() ? Opcode.FADD : random.nextBoolean() ? Opcode.CAS : Opcode.READ;
                history.add(step(opcode, 1, random.nextInt(2), random.nextInt(3), start, start + random.nextInt(8)));
            }
            boolean expected = someOrderFits(history, 0);
            assertThat(checker.objection(history).isEmpty())
                    .as("%s, %s", history, Seed.replayLine())
                    .isEqualTo(expected);
            right += expected ? 1 : 0;
        }
        assertThat(right).isBetween(100, 2_900);
    }

    private static boolean someOrderFits(List<AtomicStep> left, long word) {
        if (left.isEmpty()) {
            return true;
        }
        for (AtomicStep next : left) {
            boolean mayBeNext = left.stream().noneMatch(other -> other.endNanos() < next.startNanos());
            if (mayBeNext && next.result() == word) {
                List<AtomicStep> rest = new ArrayList<>(left);
                rest.remove(next);
                if (someOrderFits(rest, next.after(word, 8))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The planted bug: a device that adds in two steps. */
    @Test
    void deviceThatAddsInTwoStepsIsFound() throws Exception {
        AtomicLong word = new AtomicLong();
        String objection = "";
        for (int i = 0; i < 200 && objection.isEmpty(); i++) {
            word.set(0);
            objection = checker.objection(hammered(() -> {
                        long before = word.get();
                        Thread.yield();
                        word.set(before + 1);
                        return before;
                    }))
                    .orElse("");
        }
        assertThat(objection).contains("nothing explains");
    }

    @Test
    void deviceThatAddsAtOnceIsNotBlamed() throws Exception {
        for (int i = 0; i < 20; i++) {
            AtomicLong word = new AtomicLong();
            assertThat(checker.objection(hammered(word::getAndIncrement))).isEmpty();
        }
    }

    private static List<AtomicStep> hammered(Callable<Long> adds) throws Exception {
        List<AtomicStep> history = new ArrayList<>();
        try (var threads = Executors.newFixedThreadPool(3)) {
            List<Callable<List<AtomicStep>>> all = List.of(() -> steps(adds), () -> steps(adds), () -> steps(adds));
            for (Future<List<AtomicStep>> seen : threads.invokeAll(all)) {
                history.addAll(seen.get());
            }
        }
        return history;
    }

    private static List<AtomicStep> steps(Callable<Long> adds) throws Exception {
        List<AtomicStep> seen = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long start = System.nanoTime();
            long result = adds.call();
            seen.add(add(result, start, System.nanoTime()));
        }
        return seen;
    }
}
