package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShuffledNumbersTest {
    private static final int LAST = 0xFF_FFFF;
    private static final int FIRST = 0x80_0000;

    private final Random random = new Random(5);

    @Test
    void eachNumberComesOnceBeforeAnyComesAgain() {
        ShuffledNumbers numbers = new ShuffledNumbers(FIRST, LAST, random::nextLong);
        BitSet seen = new BitSet();
        int first = numbers.next();
        seen.set(first - FIRST);
        for (int i = FIRST; i < LAST; i++) {
            int number = numbers.next();
            assertThat(number).isBetween(FIRST, LAST);
            assertThat(seen.get(number - FIRST)).isFalse();
            seen.set(number - FIRST);
        }

        assertThat(numbers.next()).isEqualTo(first);
    }

    /** Who is told its own number does not know that of the next peer: neighbours are as far apart as strangers. */
    @Test
    void neighboursAreFarApart() {
        ShuffledNumbers numbers = new ShuffledNumbers(1024, FIRST - 1, random::nextLong);
        int near = 0;
        int last = numbers.next();
        for (int i = 0; i < 10_000; i++) {
            int next = numbers.next();
            near += Math.abs(next - last) < FIRST / 100 ? 1 : 0;
            last = next;
        }

        assertThat(near).isBetween(100, 300); // two in a hundred lie that near by chance
    }

    /** A connection may outlive eight million others: its number does not come again meanwhile. */
    @Test
    void aNumberThatSomebodyHasIsPassedOver() {
        ShuffledNumbers numbers = new ShuffledNumbers(10, 17, random::nextLong);
        int taken = numbers.next();
        for (int i = 0; i < 100; i++) {
            assertThat(numbers.next(number -> number == taken)).isNotEqualTo(taken);
        }
    }

    @Test
    void anotherKeyIsAnotherOrder() {
        ShuffledNumbers one = new ShuffledNumbers(FIRST, LAST, random::nextLong);
        ShuffledNumbers other = new ShuffledNumbers(FIRST, LAST, random::nextLong);
        int same = 0;
        for (int i = 0; i < 1000; i++) {
            same += one.next() == other.next() ? 1 : 0;
        }

        assertThat(same).isLessThan(3);
    }

    @Test
    void aRangeOfAnyLengthIsCovered() {
        for (int count = 1; count < 70; count++) {
            ShuffledNumbers numbers = new ShuffledNumbers(10, 10 + count - 1, random::nextLong);
            BitSet seen = new BitSet();
            for (int i = 0; i < count; i++) {
                seen.set(numbers.next() - 10);
            }

            assertThat(seen.cardinality()).as("of %d", count).isEqualTo(count);
            assertThat(seen.length()).isEqualTo(count);
        }
    }
}
