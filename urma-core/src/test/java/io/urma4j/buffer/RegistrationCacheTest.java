package io.urma4j.buffer;

import static io.urma4j.buffer.BufViewTest.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.LocalSegment;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S14.34, over memory that no device registers. */
class RegistrationCacheTest {
    private static final int KB = 1 << 10;
    private static final int MAX_REGIONS = 4;
    private static final int MAX_BYTES = 64 * KB;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(256 * KB, 4096);
    private final Devices devices = new Devices();
    private final RegistrationCache cache =
            new RegistrationCache(MAX_REGIONS, MAX_BYTES, LeakDetector.OFF, devices, () -> devices.nanos);

    /** Counts what is registered; each list is another object, as of a device. */
    @SuppressWarnings("ReferenceEquality") // all lists are empty, and equal
    private static final class Devices implements RegistrationCache.Registrar {
        final List<List<LocalSegment>> registered = new ArrayList<>();
        final List<MemorySegment> asked = new ArrayList<>();
        final List<List<LocalSegment>> used = new ArrayList<>();
        long nanos = 5;

        @Nullable
        UrmaException refusal;

        @Nullable
        UrmaException failure;

        @Override
        public List<LocalSegment> register(MemorySegment memory) {
            asked.add(memory);
            if (refusal != null) {
                throw refusal;
            }
            List<LocalSegment> one = new ArrayList<>();
            registered.add(one);
            return one;
        }

        private static boolean holds(List<List<LocalSegment>> all, List<LocalSegment> one) {
            return all.stream().anyMatch(each -> each == one);
        }

        @Override
        public boolean isUsed(List<LocalSegment> registrations) {
            return holds(used, registrations);
        }

        @Override
        public void end(List<LocalSegment> registrations) {
            assertThat(holds(registered, registrations)).as("ended once").isTrue();
            if (failure != null) {
                throw failure;
            }
            registered.removeIf(each -> each == registrations);
        }
    }

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private RdmaBuf acquire(long offset, long lengthBytes) {
        return cache.acquire(memory.asSlice(offset, lengthBytes));
    }

    // ---- hits

    @Test
    void theSameMemoryAndEveryPartOfItIsRegisteredOnce() {
        acquire(4 * KB, 16 * KB).close();
        for (long[] part : new long[][] {{4, 16}, {4, 1}, {8, 4}, {19, 1}}) {
            try (RdmaBuf buf = acquire(part[0] * KB, part[1] * KB)) {
                assertThat(buf.view().address()).isEqualTo(memory.address() + part[0] * KB);
                assertThat(buf.lengthBytes()).isEqualTo(part[1] * KB);
            }
        }
        assertThat(devices.asked).hasSize(1);
        assertThat(cache.stats()).isEqualTo(new RegistrationCacheStats(1, 16 * KB, 0, 4, 1, 0, 0, 0));
    }

    @Test
    void aByteMoreIsAnotherRegistration() {
        acquire(4 * KB, 4 * KB).close();
        acquire(4 * KB, 4 * KB + 1).close();
        acquire(4 * KB - 1, 4 * KB).close();

        assertThat(devices.registered).hasSize(3);
    }

    @Test
    void usersOfOneRegistrationHaveBuffersOfTheirOwn() {
        RdmaBuf first = acquire(0, 4 * KB);
        RdmaBuf second = acquire(0, 4 * KB);
        BufView stale = first.view();
        first.close();
        first.close();

        assertThat(stale.isValid()).isFalse();
        assertThat(second.view().isValid()).isTrue();
        assertThat(cache.stats().used()).isEqualTo(1);
        second.close();
        assertThat(cache.stats().used()).isZero();
        assertThat(devices.registered).hasSize(1);
    }

    @Test
    void memoryOfAnotherArenaAtTheSameAddressIsOtherMemory() {
        CachedRegion region = new CachedRegion(memory, List.of());
        try (Arena other = Arena.ofShared()) {
            assertThat(region.has(memory.asSlice(8, 8))).isTrue();
            assertThat(region.has(other.allocate(8))).isFalse();
        }
        arena.close();
        assertThat(region.has(memory)).isFalse();
    }

    @Test
    void anEvictionThatFailsLeavesTheNewRegistrationUnused() {
        for (int i = 0; i < MAX_REGIONS; i++) {
            acquire((long) i * KB, KB).close();
        }
        devices.failure = new UrmaException(UrmaStatus.ETIMEOUT, "segment 1", "is not revoked");

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> acquire(MAX_REGIONS * KB, KB))
                .withMessageContaining("is not revoked");

        devices.failure = null;
        assertThat(cache.stats().used()).isZero();
        acquire(MAX_REGIONS * KB, KB).close();
        cache.forget(memory.asSlice(MAX_REGIONS * KB, KB));
    }

    @Test
    void ofDeadMemoryTheRegistrationEndsWithTheNextMiss() {
        try (Arena shortLived = Arena.ofShared()) {
            cache.acquire(shortLived.allocate(4 * KB, 64)).close();
        }
        assertThat(devices.registered).hasSize(1);

        acquire(0, 4 * KB).close();

        assertThat(devices.registered).hasSize(1);
        assertThat(cache.stats()).isEqualTo(new RegistrationCacheStats(1, 4 * KB, 0, 0, 2, 0, 0, 1));
    }

    // ---- limits

    @Test
    void theLeastRecentlyUsedEndsWhereTheCountIsReached() {
        for (int i = 0; i < MAX_REGIONS; i++) {
            acquire(i * 8L * KB, 4 * KB).close();
        }
        acquire(0, 4 * KB).close(); // the oldest is the second from now on
        acquire(128 * KB, 4 * KB).close();

        acquire(0, 4 * KB).close();
        assertThat(devices.asked).hasSize(MAX_REGIONS + 1);
        acquire(8 * KB, 4 * KB).close();
        assertThat(devices.asked).as("evicted, so it is registered again").hasSize(MAX_REGIONS + 2);
        assertThat(devices.registered).hasSize(MAX_REGIONS);
        assertThat(cache.stats().evictions()).isEqualTo(2);
    }

    @Test
    void bytesAreLimitedToo() {
        acquire(0, 40 * KB).close();
        acquire(64 * KB, 24 * KB).close();
        assertThat(cache.stats().bytes()).isEqualTo(MAX_BYTES);

        acquire(128 * KB, 1).close();

        assertThat(cache.stats()).isEqualTo(new RegistrationCacheStats(2, 24 * KB + 1, 0, 0, 3, 0, 1, 0));
    }

    @Test
    void whatIsLargerThanTheCacheIsRegisteredForOneUse() {
        acquire(0, 4 * KB).close();

        try (RdmaBuf buf = acquire(0, MAX_BYTES + 1)) {
            assertThat(buf.view().isValid()).isTrue();
            assertThat(devices.registered).hasSize(2);
            assertThatExceptionOfType(UrmaException.class)
                    .as("memory in use, though not cached")
                    .isThrownBy(() -> cache.forget(memory));
            assertThat(devices.registered).as("none has ended").hasSize(2);
        }

        assertThat(devices.registered).hasSize(1);
        assertThat(cache.stats().evictions()).as("it displaced nothing").isZero();
    }

    @Test
    void whatIsInUseStaysAndTheNextIsNotCached() {
        List<RdmaBuf> open = new ArrayList<>();
        for (int i = 0; i < MAX_REGIONS; i++) {
            open.add(acquire(i * 8L * KB, 4 * KB));
        }
        RdmaBuf further = acquire(128 * KB, 4 * KB);
        assertThat(devices.registered).hasSize(MAX_REGIONS + 1);

        further.close();
        assertThat(devices.registered).hasSize(MAX_REGIONS);
        open.forEach(RdmaBuf::close);
        assertThat(devices.registered).hasSize(MAX_REGIONS);
    }

    @Test
    void whatWorkRequestsNameStaysUntilTheyAreOver() {
        acquire(0, 40 * KB).close();
        devices.used.addAll(devices.registered);

        acquire(64 * KB, 40 * KB).close();
        assertThat(devices.registered).as("the one that is named").hasSize(1);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> cache.forget(memory))
                .matches(e -> e.status() == UrmaStatus.EAGAIN)
                .withMessageContaining("is in use");
        cache.close();
        assertThat(devices.registered).hasSize(1);

        devices.used.clear();
        cache.close();
        assertThat(devices.registered).isEmpty();
    }

    // ---- refusals

    @Test
    void aRefusalIsRememberedForASecond() {
        devices.refusal = new UrmaException(UrmaStatus.ENOMEM, "udma0", "locked memory is used up");
        assertRefused(0);
        devices.refusal = null;
        devices.nanos += RegistrationCache.REFUSAL_NANOS - 1;
        assertRefused(0)
                .withMessageContaining("was refused 999 ms ago")
                .withMessageContaining("locked memory is used up");
        assertThat(devices.asked).hasSize(1);
        acquire(1, KB).close();

        devices.nanos++;
        acquire(0, KB).close();

        assertThat(cache.stats().refusals()).isEqualTo(2);
        assertThat(devices.asked).hasSize(3);
    }

    private ThrowableAssertAlternative<UrmaException> assertRefused(long offset) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> acquire(offset, KB))
                .matches(e -> e.status() == UrmaStatus.ENOMEM);
    }

    @Test
    void refusalsTakeNoMemoryWithoutEnd() {
        devices.refusal = new UrmaException(UrmaStatus.ENOMEM, "udma0", "no");
        for (int i = 0; i < 1000; i++) {
            assertRefused(i);
        }
        assertRefused(0);
        assertThat(devices.asked).as("the oldest were forgotten").hasSize(1001);
        assertRefused(999);
        assertThat(devices.asked).hasSize(1001);
    }

    @Test
    void badMemoryAndBadLimitsAreRefused() {
        assertInvalid(() -> cache.acquire(MemorySegment.ofArray(new byte[8]))).withMessageContaining("Java heap");
        assertInvalid(() -> cache.acquire(memory.asSlice(0, 0))).withMessageContaining("empty");
        assertInvalid(() -> cache.acquire(memory.asReadOnly())).withMessageContaining("read-only");
        arena.close();
        assertInvalid(() -> cache.acquire(memory));
        assertThat(devices.asked).isEmpty();
        assertInvalid(() -> new RegistrationCache(0, 1, LeakDetector.OFF, devices, () -> 0))
                .withMessageContaining("maxRegions");
        assertInvalid(() -> new RegistrationCache(1, 0, LeakDetector.OFF, devices, () -> 0))
                .withMessageContaining("maxBytes");
        assertInvalid(() -> RegistrationCache.open(1, 1)).withMessageContaining("at least one context");
    }

    // ---- the end

    @Test
    void forgottenMemoryIsRegisteredAnew() {
        acquire(0, 8 * KB).close();
        acquire(4 * KB, 8 * KB).close();
        acquire(16 * KB, 4 * KB).close();

        cache.forget(memory.asSlice(8 * KB - 1, 2));

        assertThat(devices.registered).hasSize(1);
        acquire(16 * KB, 4 * KB).close();
        assertThat(devices.asked).hasSize(3);
        RdmaBuf open = acquire(0, KB);
        assertThatExceptionOfType(UrmaException.class).isThrownBy(() -> cache.forget(memory));
        assertThat(devices.registered).as("none has ended").hasSize(2);
        open.close();
    }

    @Test
    void closingEndsEachRegistrationOnceAndUsersKeepTheirs() {
        acquire(0, KB).close();
        RdmaBuf open = acquire(8 * KB, KB);
        cache.close();
        cache.close();
        assertThat(devices.registered).hasSize(1);
        assertThat(open.view().isValid()).isTrue();

        open.close();

        assertThat(devices.registered).isEmpty();
        assertInvalid(() -> acquire(0, KB)).withMessageContaining("is closed");
        assertThat(cache.stats().regions()).isZero();
    }

    /** Against a model: what is registered is what is cached, and what is in use. */
    @Test
    void countsAgreeAfterAnyStep() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<RdmaBuf> open = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> open.add(acquire(random.nextInt(24) * 4L * KB, 1 + random.nextInt(24 * KB)));
                case 3, 4, 5 -> {
                    if (!open.isEmpty()) {
                        open.remove(random.nextInt(open.size())).close();
                    }
                }
                case 6 -> {
                    try {
                        cache.forget(memory.asSlice(random.nextLong(64) * KB, KB));
                    } catch (UrmaException e) {
                        assertThat(e.status()).isEqualTo(UrmaStatus.EAGAIN);
                    }
                }
                default -> open.sort(Comparator.comparingLong(RdmaBuf::lengthBytes));
            }
            RegistrationCacheStats stats = cache.stats();
            assertThat(stats.regions()).as("seed %d", seed).isLessThanOrEqualTo(MAX_REGIONS);
            assertThat(stats.bytes()).as("seed %d", seed).isBetween(0L, (long) MAX_BYTES);
            assertThat(devices.registered.size())
                    .as("seed %d", seed)
                    .isBetween(stats.regions(), stats.regions() + open.size());
            assertThat(open).as("seed %d", seed).allMatch(buf -> buf.view().isValid());
        }
        open.forEach(RdmaBuf::close);
        assertThat(devices.registered).as("seed %d", seed).hasSize(cache.stats().regions());
        cache.close();
        assertThat(devices.registered).as("seed %d", seed).isEmpty();
    }
}
