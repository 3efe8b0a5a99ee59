package io.urma4j.udma.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The number of a life, in a key and its VA base. */
class KeyLifeTest {
    private static final int INDEX = 0xABCDE;
    private static final long USER_VA = 0x7FFF_FFFF_F000L;

    private static int key(long life) {
        return INDEX << KeyLife.GENERATION_BITS | KeyLife.generation(life);
    }

    @Test
    void theFirstLivesLeaveTheVaToTheUser() {
        for (long life : new long[] {0, 1, 255}) {
            assertThat(KeyLife.isLater(life)).as("life %d", life).isFalse();
            assertThat(KeyLife.of(key(life), USER_VA)).isEqualTo(life);
        }
    }

    @Test
    void laterLivesAreInKeyAndVa() {
        for (long life : new long[] {256, 257, 511, 512, 1L << 20, KeyLife.COUNT - 1}) {
            long vaBase = KeyLife.vaBase(life);

            assertThat(KeyLife.isLater(life)).as("life %d", life).isTrue();
            assertThat(vaBase).as("no address of a user").isNegative();
            assertThat(KeyLife.of(key(life), vaBase)).isEqualTo(life);
            assertThat(KeyLife.of(key(life), vaBase + KeyLife.MAX_BYTES - 1)).isEqualTo(life);
        }
    }

    @Test
    void noTwoLivesOfAKeyHaveOneName() {
        Set<Long> names = new HashSet<>();
        for (long life : new long[] {0, 1, 255, 256, 257, 511, 512, 1L << 20, KeyLife.COUNT - 1}) {
            long va = KeyLife.isLater(life) ? KeyLife.vaBase(life) : USER_VA;

            assertThat(names.add(KeyLife.name(key(life), va)))
                    .as("life %d", life)
                    .isTrue();
            assertThat(KeyLife.name(key(life), va + 4711)).isEqualTo(KeyLife.name(key(life), va));
        }
    }

    @Test
    void namesOfAnIndexAscendWithItsLives() {
        long before = KeyLife.firstName(KeyLife.name(key(0), USER_VA)) - 1;
        for (long life : new long[] {0, 1, 255, 256, 257, 511, 512, 1L << 20, KeyLife.COUNT - 1}) {
            long name = KeyLife.name(key(life), KeyLife.isLater(life) ? KeyLife.vaBase(life) : USER_VA);

            assertThat(name).as("life %d", life).isGreaterThan(before);
            assertThat(KeyLife.ofName(name)).isEqualTo(life);
            assertThat(KeyLife.firstName(name)).isEqualTo(KeyLife.name(key(0), USER_VA));
            before = name;
        }
        assertThat(KeyLife.name(key(0) + KeyLife.FIRST, USER_VA))
                .as("the next index")
                .isGreaterThan(before);
    }

    @Test
    void theRangesOfTwoLivesOfOneGenerationAreApart() {
        for (long life : new long[] {256, 1L << 20, KeyLife.COUNT - 257}) {
            assertThat(KeyLife.vaBase(life + 256) - KeyLife.vaBase(life))
                    .as("lives %d and %d", life, life + 256)
                    .isGreaterThanOrEqualTo(KeyLife.MAX_BYTES);
        }
    }
}
