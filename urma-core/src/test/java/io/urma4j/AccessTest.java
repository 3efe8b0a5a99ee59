package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** S7.1: the four kinds of access. */
class AccessTest {
    @Test
    void onlyFiveMasksMeanSomething() {
        assertThat(Access.ofMask(0)).isEqualTo(Access.LOCAL_ONLY);
        for (Access access : Access.values()) {
            assertThat(Access.ofMask(access.mask())).isEqualTo(access);
        }
        for (int mask : new int[] {-1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15, 16, 1 << 31}) {
            assertInvalid(() -> Access.ofMask(mask)).withMessageContaining("mask " + mask);
        }
    }

    @Test
    void eachLevelCoversTheOnesBelow() {
        for (Access has : Access.values()) {
            for (Access wanted : Access.values()) {
                assertThat(has.covers(wanted)).as(has + " covers " + wanted).isEqualTo(has.compareTo(wanted) >= 0);
            }
        }
    }

    @Test
    void predicatesFollowTheLevels() {
        assertThat(Access.values()).filteredOn(Access::canRead).doesNotContain(Access.LOCAL_ONLY);
        assertThat(Access.values())
                .filteredOn(Access::canWrite)
                .containsExactly(Access.READ_WRITE, Access.READ_WRITE_ATOMIC);
        assertThat(Access.values()).filteredOn(Access::canAtomic).containsExactly(Access.READ_WRITE_ATOMIC);
    }
}
