package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check of a key, at its exact limit: one byte, one word, one peer, one generation beside what is allowed. */
class KeyBoundsTest {
    private static final int ALL = Memory.READ | Memory.WRITE | Memory.ATOMIC;
    private static final int SIZE = 64;
    private static final long VA = 0x10000;
    private static final int OWN = 5; // the connection and the number of the peer that the key is for
    private static final int OTHER = 6;
    private static final int EVERYBODYS = 0;

    private final Arena arena = Arena.ofShared();
    private final Invalidations invalidations = new Invalidations();
    private final KeyTable keys = new KeyTable(connection -> connection, invalidations, 8);
    private final MemorySegment memory = arena.allocate(SIZE, 64);
    private final NativeMemory buffer = NativeMemory.allocate(SIZE);

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private int register(int access, int peer, long owner) {
        return keys.register(new KeyConfig(memory, VA, access, peer, owner, 77));
    }

    @Test
    void theLastByteIsInsideAndTheNextIsNot() {
        int key = register(ALL, OWN, 0);

        assertThat(keys.isAllowed(key, VA + SIZE - 1, 1, Memory.READ, OWN)).isTrue();
        assertThat(keys.isAllowed(key, VA + SIZE, 1, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(key, VA, SIZE, Memory.READ, OWN)).isTrue();
        assertThat(keys.isAllowed(key, VA, SIZE + 1, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(key, VA + 1, SIZE, Memory.READ, OWN)).isFalse();
    }

    @Test
    void theFirstByteIsInsideAndTheOneBeforeIsNot() {
        int key = register(ALL, OWN, 0);

        assertThat(keys.isAllowed(key, VA, 1, Memory.WRITE, OWN)).isTrue();
        assertThat(keys.isAllowed(key, VA - 1, 1, Memory.WRITE, OWN)).isFalse();
        assertThat(keys.isAllowed(key, Long.MIN_VALUE, 1, Memory.WRITE, OWN)).isFalse();
    }

    @Test
    void zeroBytesAreInsideUpToTheEndAndAMinusOneNowhere() {
        int key = register(ALL, OWN, 0);

        assertThat(keys.isAllowed(key, VA + SIZE, 0, Memory.READ, OWN)).isTrue();
        assertThat(keys.isAllowed(key, VA + SIZE + 1, 0, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(key, VA, -1, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(key, VA, Long.MIN_VALUE, Memory.READ, OWN)).isFalse();
    }

    @Test
    void eachAccessIsAskedForByItself() {
        for (int given : new int[] {0, Memory.READ, Memory.WRITE, Memory.ATOMIC, Memory.READ | Memory.WRITE}) {
            int key = register(given, OWN, 0);
            for (int asked : new int[] {Memory.READ, Memory.WRITE, Memory.ATOMIC}) {
                assertThat(keys.isAllowed(key, VA, 8, asked, OWN))
                        .as("access %d of a key with %d", asked, given)
                        .isEqualTo((given & asked) != 0);
            }
            keys.revoke(key);
        }
    }

    @Test
    void aKeyOfOnePeerOpensNothingToAnother() {
        int own = register(ALL, OWN, 0);
        int everybodys = register(ALL, EVERYBODYS, 0);

        assertThat(keys.isAllowed(own, VA, 8, Memory.READ, OWN)).isTrue();
        assertThat(keys.isAllowed(own, VA, 8, Memory.READ, OTHER)).isFalse();
        assertThat(keys.isAllowed(own, VA, 8, Memory.READ, EVERYBODYS)).isFalse();
        assertThat(keys.isAllowed(everybodys, VA, 8, Memory.READ, OTHER)).isTrue();
    }

    @Test
    void everyAccessToTheBytesIsCheckedAgain() {
        int key = register(ALL, OWN, 0);
        memory.fill((byte) 1);
        buffer.segment().fill((byte) 2);

        assertThat(keys.write(key, VA + SIZE - 8, buffer, 0, 9, OWN)).isFalse();
        assertThat(keys.write(key, VA, buffer, 0, 8, OTHER)).isFalse();
        assertThat(keys.store(key, VA + SIZE - 7, -1, OWN)).isFalse();
        assertThat(keys.store(key, VA, -1, OTHER)).isFalse();
        assertThat(memory.toArray(JAVA_BYTE)).containsOnly(1);
        Packet answer = new Packet(buffer);
        assertThat(keys.read(key, VA + SIZE - 8, answer, 9, OWN)).isFalse();
        assertThat(keys.read(key, VA, answer, 8, OTHER)).isFalse();
        assertThat(buffer.segment().toArray(JAVA_BYTE)).containsOnly(2);

        assertThat(keys.store(key, VA + SIZE - 8, 0x0102_0304_0506_0708L, OWN)).isTrue();
        assertThat(memory.get(JAVA_LONG, SIZE - 8)).isEqualTo(0x0102_0304_0506_0708L);
    }

    @Test
    void anAtomicIsAlignedAndWholeWithinTheRange() {
        int key = register(ALL, OWN, 0);

        assertThat(keys.isAllowed(key, VA + SIZE - 8, 8, Memory.ATOMIC, OWN)).isTrue();
        assertThat(keys.isAllowed(key, VA + 4, 8, Memory.ATOMIC, OWN)).isFalse();
        assertThat(keys.isAllowed(key, VA + 4, 4, Memory.ATOMIC, OWN)).isTrue();
        assertThat(keys.isAllowed(key, VA + SIZE - 2, 4, Memory.ATOMIC, OWN)).isFalse();
        assertThat(keys.isAllowed(key, VA + 1, 8, Memory.READ, OWN))
                .as("a READ needs no alignment")
                .isTrue();
        assertThat(keys.atomic(WorkOpcode.FADD, key, VA + 8, 8, 5, 0, OWN)).isZero();
        assertThat(memory.get(JAVA_LONG, 8)).isEqualTo(5);
        assertThatThrownBy(() -> keys.atomic(WorkOpcode.FADD, key, VA + 8, 8, 5, 0, OTHER))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theNextGenerationIsAnotherKey() {
        int key = register(ALL, OWN, 0);

        assertThat(keys.isAllowed(key + 1, VA, 8, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(key - 1, VA, 8, Memory.READ, OWN)).isFalse();
        assertThat(keys.revoke(key + 1)).isFalse();
        assertThat(keys.isAllowed(key, VA, 8, Memory.READ, OWN)).isTrue();
    }

    @Test
    void indicesThatWereNeverGivenOutOpenNothing() {
        int last = register(ALL, EVERYBODYS, 0);

        for (int index : new int[] {0, (last >>> 8) + 1, 63, 64, 0xFF_FFFF}) {
            int key = index << 8;
            assertThat(keys.isAllowed(key, VA, 8, Memory.READ, OWN))
                    .as("index %d", index)
                    .isFalse();
            assertThat(keys.local(key)).as("index %d", index).isNull();
            assertThat(keys.recordId(key)).as("index %d", index).isZero();
            assertThat(keys.revoke(key)).as("index %d", index).isFalse();
        }
        assertThat(keys.local(last)).isSameAs(memory);
        assertThat(keys.recordId(last)).isEqualTo(77);
    }

    @Test
    void thereAreAsManyKeysAsWereAllowedAndNotOneMore() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(register(ALL, OWN, 0));
        }

        assertThat(all).doesNotContain(0).doesNotHaveDuplicates();
        assertThat(register(ALL, OWN, 0)).isZero();
        keys.revoke(all.get(3));
        assertThat(register(ALL, OWN, 0)).isEqualTo(all.get(3) + 1);
    }

    @Test
    void onlyThePeerOfAnOwnedKeyInvalidatesIt() {
        int owned = register(ALL, OWN, 9);
        int ownedToo = register(ALL, OWN, 9);
        int ownerless = register(ALL, OWN, 0);
        int everybodys = register(ALL, EVERYBODYS, 9);

        assertThat(keys.invalidate(owned, OTHER)).isEqualTo(Memory.REFUSED);
        assertThat(keys.invalidate(ownerless, OWN)).isEqualTo(Memory.REFUSED);
        assertThat(keys.invalidate(everybodys, EVERYBODYS)).isEqualTo(Memory.REFUSED);
        assertThat(keys.invalidate(everybodys, OWN)).isEqualTo(Memory.REFUSED);
        assertThat(keys.isAllowed(owned, VA, 8, Memory.READ, OWN)).isTrue();

        assertThat(keys.invalidate(owned, OWN)).isEqualTo(Memory.AT_ONCE);
        assertThat(invalidations.calls).containsExactly("9 by 5");
        assertThat(keys.isAllowed(owned, VA, 8, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(ownedToo, VA, 8, Memory.READ, OWN)).isFalse();
        assertThat(keys.isAllowed(ownerless, VA, 8, Memory.READ, OWN)).isTrue();
    }

    /** The import of a windows-only segment: it opens nothing. */
    private int registerImport(int peer, long owner) {
        return registerWindowsOnly(0, peer, owner);
    }

    private int registerWindowsOnly(int access, int peer, long owner) {
        return keys.register(new KeyConfig(
                memory,
                VA,
                false,
                access,
                peer,
                owner,
                77,
                KeyConfig.SILENT,
                KeyConfig.NOT_PINNED,
                /* windowsOnly= */ true,
                null));
    }

    private boolean opens(int key, int peer) {
        return keys.isAllowed(key, VA, 8, Memory.READ, peer);
    }

    @Test
    void invalidatedWindowsOnlySegmentLosesTheWindowsOfThatPeerAlone() {
        int imported = registerImport(OWN, 9);
        int first = registerWindowsOnly(ALL, OWN, 9);
        int second = registerWindowsOnly(Memory.READ, OWN, 9);
        int others = registerWindowsOnly(ALL, OTHER, 9);
        int ofAnotherSlab = registerWindowsOnly(ALL, OWN, 10);

        assertThat(keys.invalidate(imported, OTHER)).isEqualTo(Memory.REFUSED);
        assertThat(keys.invalidate(imported, OWN)).isEqualTo(Memory.AT_ONCE);

        assertThat(opens(first, OWN)).isFalse();
        assertThat(opens(second, OWN)).isFalse();
        assertThat(opens(others, OTHER)).isTrue();
        assertThat(opens(ofAnotherSlab, OWN)).isTrue();
        assertThat(invalidations.calls).containsExactly("9 by 5, windows alone");
        assertThat(keys.vaBase(imported)).as("the import stays").isEqualTo(VA);
    }

    /** A key of a window names its segment as well. */
    @Test
    void windowNamesItsSegmentForInvalidation() {
        int window = registerWindowsOnly(ALL, OWN, 9);
        int others = registerWindowsOnly(ALL, OTHER, 9);

        assertThat(keys.invalidate(window, OWN)).isEqualTo(Memory.AT_ONCE);

        assertThat(opens(window, OWN)).isFalse();
        assertThat(opens(others, OTHER)).isTrue();
        assertThat(keys.invalidate(window, OWN)).as("it is revoked").isEqualTo(Memory.REFUSED);
    }

    /** Segments of both kinds under one owner: whole ones end only if the peer has a key of one. */
    @Test
    void wholeSegmentEndsOnlyForAPeerThatImportedOne() {
        int imported = registerImport(OWN, 9);
        int whole = register(ALL, OTHER, 9);

        assertThat(keys.invalidate(imported, OWN)).isEqualTo(Memory.AT_ONCE);
        assertThat(opens(whole, OTHER)).isTrue();

        int own = register(ALL, OWN, 9);
        int window = registerWindowsOnly(ALL, OWN, 9);
        assertThat(keys.invalidate(imported, OWN)).isEqualTo(Memory.AT_ONCE);

        assertThat(opens(whole, OTHER)).isFalse();
        assertThat(opens(own, OWN)).isFalse();
        assertThat(opens(window, OWN)).isFalse();
        assertThat(invalidations.calls).containsExactly("9 by 5");
    }

    /** A peer may repeat the message as often as it likes: without a key to end, the owner is not told, and nothing is searched. */
    @Test
    void repeatedInvalidationDoesNothing() {
        int imported = registerImport(OWN, 9);
        registerWindowsOnly(ALL, OWN, 9);

        for (int i = 0; i < 100; i++) {
            assertThat(keys.invalidate(imported, OWN)).isEqualTo(Memory.AT_ONCE);
        }

        assertThat(invalidations.calls).hasSize(1);
        int later = registerWindowsOnly(ALL, OWN, 9);
        assertThat(opens(later, OWN)).isTrue();
        assertThat(keys.invalidate(imported, OWN)).isEqualTo(Memory.AT_ONCE);
        assertThat(opens(later, OWN)).isFalse();
        assertThat(invalidations.calls).hasSize(2);
    }

    @Test
    void memoryThatWasClosedIsNotAllowed() {
        int key = register(ALL, OWN, 0);
        arena.close();

        assertThat(keys.isAllowed(key, VA, 8, Memory.READ, OWN)).isFalse();
        assertThat(keys.atomic(WorkOpcode.FADD, key, VA, 8, 1, 0, OWN)).isZero();
    }

    /** S14.31: a stale key is a number with the VA that it had; a sample of all that there ever were is tried again and again. */
    @Test
    void fewIndicesSurviveManyGrantsAndRefuseStaleKeys() {
        long grants = Boolean.getBoolean("urma.full") ? 10_000_000 : 500_000;
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("KeyBoundsTest: " + grants + " grants, -Durma.seed=" + seed);
        Random random = new Random(seed);
        KeyConfig window = new KeyConfig(memory, VA, true, ALL, OWN, 0, 0, KeyConfig.SILENT, KeyConfig.NOT_PINNED);
        int[] staleKeys = new int[256];
        long[] staleVas = new long[staleKeys.length];
        for (int grant = 0; grant < grants; grant++) {
            int key = keys.register(window);
            long va = keys.vaBase(key);
            if (key == 0 || !keys.isAllowed(key, va, 8, Memory.WRITE, OWN)) {
                throw new AssertionError("key 0x%08x of grant %d opens nothing".formatted(key, grant));
            }
            int tried = random.nextInt(staleKeys.length);
            if (keys.isAllowed(staleKeys[tried], staleVas[tried], 8, Memory.WRITE, OWN)) {
                throw new AssertionError("the stale key 0x%08x of VA 0x%x opens something at grant %d"
                        .formatted(staleKeys[tried], staleVas[tried], grant));
            }
            assertThat(keys.revoke(key)).isTrue();
            staleKeys[tried] = key;
            staleVas[tried] = va;
        }
    }

    /** Keeps what peers have invalidated; nothing else happens here. */
    private static final class Invalidations implements CardListener {
        private final List<String> calls = new ArrayList<>();

        @Override
        public void invalidated(long keyOwner, int peer, boolean whole) {
            calls.add(keyOwner + " by " + peer + (whole ? "" : ", windows alone"));
        }

        @Override
        public boolean takesControl() {
            throw new AssertionError("no packet comes here");
        }

        @Override
        public void controlArrived(ByteBuffer datagram, long eidHigh, long eidLow, long nowNanos) {
            throw new AssertionError("no packet comes here");
        }

        @Override
        public void recordsArrived(int cq) {
            throw new AssertionError("there is no queue");
        }

        @Override
        public void valueStored(int notifyTag) {
            throw new AssertionError("no key reports a value");
        }

        @Override
        public void requestRefused(int tag, Refusal why) {}

        @Override
        public void sendQueueFailed(int tag, int status) {
            throw new AssertionError("there is no queue");
        }

        @Override
        public void receiveQueueFailed(int tag) {
            throw new AssertionError("there is no queue");
        }

        @Override
        public void receivesLow(int tag, long left) {
            throw new AssertionError("there is no queue");
        }

        @Override
        public void cqOverflowed(int cq) {
            throw new AssertionError("there is no queue");
        }

        @Override
        public void receiverNotReady(int tag, int target) {
            throw new AssertionError("there is no queue");
        }

        @Override
        public void peerSilent(int connection) {
            throw new AssertionError("there is no connection");
        }

        @Override
        public void peerStuck(int connection) {
            throw new AssertionError("there is no connection");
        }
    }

    /** Without a VA, a local key could not be told from the same number of another life. */
    @Test
    void aKeyOfALaterLifeIsNoLocalKey() {
        int first = registerOfAnyVa();
        assertThat(keys.local(first)).isEqualTo(memory);
        keys.revoke(first);
        int later = registerOfAnyVa();
        while (later != first) {
            keys.revoke(later);
            later = registerOfAnyVa();
        }

        assertThat(keys.local(later)).isNull();
        assertThat(keys.isAllowed(later, keys.vaBase(later), 8, Memory.READ, OWN))
                .isTrue();
        assertThat(keys.isAllowed(later, VA, 8, Memory.READ, OWN)).isFalse();
    }

    /** As often as a busy pool exports in ten seconds. */
    @Test
    void tenMillionGrantsLeaveNoStaleKeyValid() {
        List<long[]> stale = new ArrayList<>();
        for (int grant = 0; grant < 10_000_000; grant++) {
            int key = registerOfAnyVa();
            long va = keys.vaBase(key);
            if (grant % 100_000 == 0) {
                assertThat(keys.isAllowed(key, va, 8, Memory.READ, OWN)).isTrue();
                for (long[] old : stale) {
                    assertThat(keys.isAllowed((int) old[0], old[1], 8, Memory.READ, OWN))
                            .as("key 0x%08x at 0x%x, while 0x%08x is valid", (int) old[0], old[1], key)
                            .isFalse();
                }
                stale.add(new long[] {key, va});
            }
            keys.revoke(key);
        }
    }

    @Test
    void anInvalidKeyHasNoVa() {
        int key = registerOfAnyVa();
        assertThat(keys.vaBase(key)).isEqualTo(VA);
        keys.revoke(key);

        assertThat(keys.vaBase(key)).isZero();
        assertThat(keys.vaBase(0)).isZero();
    }

    private int registerOfAnyVa() {
        return keys.register(new KeyConfig(memory, VA, true, ALL, OWN, 0, 0, KeyConfig.SILENT, KeyConfig.NOT_PINNED));
    }
}
