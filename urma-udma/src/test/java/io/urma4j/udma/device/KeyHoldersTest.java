package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which peer has which keys of an owner, and that nothing is kept of keys that are gone. */
class KeyHoldersTest {
    private final KeyHolders holders = new KeyHolders();

    @Test
    void keysOfBothKindsCountApart() {
        holders.count(9, 5, /* isWindow= */ true, 1);
        assertThat(holders.hasWindow(9, 5)).isTrue();
        assertThat(holders.hasWhole(9, 5)).isFalse();
        assertThat(holders.hasWindow(9, 6)).isFalse();
        assertThat(holders.hasWindow(8, 5)).isFalse();

        holders.count(9, 5, /* isWindow= */ false, 1);
        holders.count(9, 5, /* isWindow= */ true, -1);

        assertThat(holders.hasWindow(9, 5)).isFalse();
        assertThat(holders.hasWhole(9, 5)).isTrue();
    }

    @Test
    void nothingIsKeptOfKeysThatAreGone() {
        for (int peer = 1; peer <= 1000; peer++) {
            holders.count(9, peer, /* isWindow= */ true, 1);
            holders.count(9, peer, /* isWindow= */ true, -1);
        }

        assertThat(holders.size()).isZero();
    }

    /** No message can end them. */
    @Test
    void keysWithoutOwnerOrPeerAreNotCounted() {
        holders.count(0, 5, /* isWindow= */ false, 1);
        holders.count(9, 0, /* isWindow= */ false, 1);

        assertThat(holders.size()).isZero();
    }
}
