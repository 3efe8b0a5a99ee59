package io.urma4j.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a registration is made and undone: calls, their order, and what a client may answer. */
class RegistrationTest {
    private static final DmaDevice NIC = new DmaDevice("nic0", 64, 1, true);
    private static final DmaDevice OTHER_NIC = new DmaDevice("nic1", 64, 2, true);

    private final PeerMemoryRegistry registry = new PeerMemoryRegistry();
    private final ScriptedClient client = new ScriptedClient("first");
    private final Keys keys = new Keys();

    private static PinRequest request(long offset, long lengthBytes, DmaDevice... devices) {
        return new PinRequest(
                null, new DeviceRange(0, ScriptedClient.BASE + offset, lengthBytes), true, List.of(devices), true);
    }

    private PeerRegion pinned() {
        return registry.pin(request(0, 4096, NIC));
    }

    /** P1. */
    @Test
    void aGoodCycleMakesEachCallOnceInTheKernelsOrder() {
        registry.register(client);
        PeerRegion region = registry.pin(request(0, 4096, NIC, OTHER_NIC));
        region.activate(keys);
        region.close();
        region.close();

        assertThat(client.calls)
                .containsExactly(
                        "acquire#0",
                        "getPages#0",
                        "dmaMap:nic0#0",
                        "dmaMap:nic1#0",
                        "dmaUnmap:nic1#0",
                        "dmaUnmap:nic0#0",
                        "putPages#0",
                        "release#0");
        assertThat(keys.calls).isEmpty();
    }

    /** P2 to P6. */
    @ParameterizedTest
    @CsvSource({
        "getPages, acquire#0 getPages#0 release#0",
        "dmaMap:nic0, acquire#0 getPages#0 dmaMap:nic0#0 putPages#0 release#0",
        "dmaMap:nic1," + " acquire#0 getPages#0 dmaMap:nic0#0 dmaMap:nic1#0 dmaUnmap:nic0#0 putPages#0 release#0",
    })
    void aFailureUndoesExactlyWhatCameBefore(String failing, String calls) {
        registry.register(client);
        client.failing(failing, new UrmaException(UrmaStatus.ENOMEM, "driver", "no window left"));

        assertThatThrownBy(() -> registry.pin(request(0, 4096, NIC, OTHER_NIC)))
                .isInstanceOfSatisfying(UrmaException.class, e -> {
                    assertThat(e.status()).isEqualTo(UrmaStatus.ENOMEM);
                    assertThat(e).hasMessageContaining("no window left");
                });

        assertThat(client.calls).containsExactly(calls.split(" "));
        client.in(failing, () -> {});
        registry.pin(request(0, 4096, NIC)).close();
        assertBalanced();
    }

    /** P3: a registration that gets no ticket pins nothing. */
    @Test
    void withoutATicketTheAcquisitionIsReleased() {
        PeerMemoryRegistry small = new PeerMemoryRegistry(1, 0, PeerMemoryRegistry.CALL_TIMEOUT);
        small.register(client);
        PeerRegion only = small.pin(request(0, 4096));

        assertThatThrownBy(() -> small.pin(request(0, 4096)))
                .hasMessageContaining("limit of 1 concurrent registrations")
                .extracting("status")
                .isEqualTo(UrmaStatus.ENOMEM);

        assertThat(client.calls).containsExactly("acquire#0", "getPages#0", "acquire#1", "release#1");
        only.close();
        small.pin(request(0, 4096)).close();
    }

    /** P6: the provider could make no key. */
    @Test
    void aRegionThatIsClosedBeforeItsActivationIsUndone() {
        registry.register(client);
        pinned().close();

        assertThat(client.calls)
                .containsExactly(
                        "acquire#0", "getPages#0", "dmaMap:nic0#0", "dmaUnmap:nic0#0", "putPages#0", "release#0");
        assertBalanced();
    }

    /** P7. */
    @Test
    void clientsAreAskedInTheOrderOfTheirRegistration() {
        ScriptedClient second = new ScriptedClient("second");
        client.in("acquire", () -> {});
        registry.register(new ForeignClient("zero", client.calls));
        registry.register(client);
        registry.register(second);
        PeerRegion region = pinned();

        assertThat(region.client()).isEqualTo("first");
        assertThat(client.calls).startsWith("zero", "acquire#0").doesNotContain("release#0");
        assertThat(second.calls).isEmpty();
        region.close();
    }

    /** P8. */
    @Test
    void aClientThatThrowsInAcquireDoesNotOwnTheRange() {
        client.failing("acquire", new IllegalStateException("driver is being unloaded"));
        ScriptedClient second = new ScriptedClient("second");
        registry.register(client);
        registry.register(second);

        pinned().close();

        assertThat(client.calls).containsExactly("acquire#0");
        assertThat(second.calls).contains("release#0");
        assertThat(counters("first").failures()).isOne();
    }

    /** P9. */
    @Test
    void aRangeBeyondAnAllocationHasNoOwner() {
        registry.register(client);

        assertThatThrownBy(() -> registry.pin(request(ScriptedClient.LENGTH - 1, 2)))
                .hasMessageContaining("no client owns the whole range")
                .hasMessageContaining("asked: first");
    }

    @Test
    void ofANamedClientOnlyThatIsAsked() {
        registry.register(client);
        registry.register(new ScriptedClient("second"));
        DeviceRange range = new DeviceRange(0, ScriptedClient.BASE, 8);

        PeerRegion region = registry.pin(new PinRequest("second", range, true, List.of(), true));

        assertThat(region.client()).isEqualTo("second");
        assertThat(client.calls).isEmpty();
        assertThatThrownBy(() -> registry.pin(new PinRequest("third", range, true, List.of(), true)))
                .hasMessageContaining("no client 'third'; there are: first, second");
        region.close();
    }

    /** P10, P11: unaligned ranges, and page sizes. */
    @ParameterizedTest
    @ValueSource(longs = {4 << 10, 64 << 10, 2 << 20})
    void everyByteOfARangeHasItsBusAddress(long pageBytes) {
        client.pageBytes = pageBytes;
        registry.register(client);
        long offset = 3 * pageBytes - 5;
        long length = pageBytes + 11;
        PeerRegion region = registry.pin(request(offset, length, NIC));

        assertThat(counters("first").registeredPages()).isEqualTo(3);
        for (long i : new long[] {0, 4, 5, 6, pageBytes + 4, pageBytes + 5, length - 1}) {
            long page = (offset + i) / pageBytes - 2;
            long physical = page * 7 % 64 * pageBytes + (offset + i) % pageBytes;
            assertThat(region.busAddress(NIC, i)).isEqualTo(physical + 3 * client.busShift);
        }
        assertThatThrownBy(() -> region.busAddress(NIC, length)).hasMessageContaining("lies outside");
        region.close();
    }

    /** P14. */
    @Test
    void eachDeviceHasBusAddressesOfItsOwn() {
        registry.register(client);
        PeerRegion region = registry.pin(request(0, 4096, NIC, OTHER_NIC));

        assertThat(region.busAddress(OTHER_NIC, 0) - region.busAddress(NIC, 0)).isEqualTo(client.busShift);
        assertThatThrownBy(() -> region.busAddress(new DmaDevice("nic2", 64, 3, true), 0))
                .hasMessageContaining("is not mapped for nic2");
        region.close();
        assertThat(client.calls).noneMatch(call -> call.startsWith("WRONG"));
    }

    /** P15. */
    @ParameterizedTest
    @CsvSource({"2, 0, true", "2, 7, true", "1, 9, false", "3, 0, false"})
    void aPageTableHasTheSameMajorAndNoLowerMinorVersion(int major, int minor, boolean accepted) {
        client.pageTable = new ClientVersion(major, minor);
        registry.register(client);

        assertVersion(accepted, "a page table of version " + major + "." + minor);
    }

    /** P15. */
    @ParameterizedTest
    @CsvSource({"2, 3, true", "2, 4, true", "2, 2, false", "3, 3, false"})
    void aMappingHasTheSameMajorAndNoLowerMinorVersion(int major, int minor, boolean accepted) {
        client.mappingTable = new ClientVersion(major, minor);
        registry.register(client);

        assertVersion(accepted, "a DMA mapping of version " + major + "." + minor);
        assertThat(client.calls).contains("dmaUnmap:nic0#0");
    }

    private void assertVersion(boolean accepted, String message) {
        if (accepted) {
            pinned().close();
        } else {
            assertThatThrownBy(this::pinned).hasMessageContaining(message);
        }
        assertThat(client.calls).endsWith("putPages#0", "release#0");
        assertBalanced();
    }

    /** P16. */
    @ParameterizedTest
    @ValueSource(longs = {2048, 12_288, 0, -4096})
    void aClientThatReportsAWrongPageSizeIsRefused(long pageBytes) {
        registry.register(
                new LyingClient(pages -> new PinnedPages(pages.version(), pages.range(), pageBytes, new long[1])));

        assertThatThrownBy(this::pinned).hasMessageContaining("a page size of " + pageBytes);
    }

    @Test
    void aClientThatReportsOtherPagesIsRefused() {
        registry.register(new LyingClient(
                pages -> new PinnedPages(pages.version(), pages.range(), pages.pageBytes(), new long[2])));
        assertThatThrownBy(this::pinned).hasMessageContaining("reported 2 pages for");
    }

    @Test
    void aClientThatReportsAnotherRangeIsRefused() {
        registry.register(new LyingClient(pages -> new PinnedPages(
                pages.version(),
                new DeviceRange(0, pages.range().address() + ScriptedClient.PAGE, ScriptedClient.PAGE),
                pages.pageBytes(),
                new long[1])));
        assertThatThrownBy(this::pinned).hasMessageContaining("which takes 0x7f0000000000 + 65536");
    }

    @Test
    void aDeviceThatCannotDriveTheBusAddressIsRefused() {
        registry.register(client);
        assertThatThrownBy(() -> registry.pin(request(0, 8, new DmaDevice("old", 32, 1, true))))
                .hasMessageContaining("beyond the 32 bits of old");
        assertThat(client.calls).containsSubsequence("dmaUnmap:old#0", "putPages#0", "release#0");
    }

    /** P37. */
    @Test
    void emptyAndWrappingRangesNeverReachAClient() {
        assertThatThrownBy(() -> new DeviceRange(0, 4096, 0)).hasMessageContaining("length is 0");
        assertThatThrownBy(() -> new DeviceRange(0, -8, 9)).hasMessageContaining("exceeds the address space");
        assertThat(new DeviceRange(0, -8, 8).toPages(4096).lengthBytes()).isEqualTo(4096);
    }

    /** P38. */
    @Test
    void anExhaustedWindowEvictsCachedRegistrationsAndIsTriedOnceMore() {
        AtomicInteger left = new AtomicInteger(1);
        client.in("getPages", () -> {
            if (left.getAndDecrement() <= 0) {
                throw new UrmaException(UrmaStatus.EAGAIN, "BAR", "its window of 256 MiB is exhausted");
            }
        });
        registry.register(client);
        List<PeerRegion> cache = new ArrayList<>(List.of(pinned()));
        registry.onExhaustion(() -> {
            cache.forEach(PeerRegion::close);
            left.set(cache.size());
            boolean evicted = !cache.isEmpty();
            cache.clear();
            return evicted;
        });

        PeerRegion second = pinned();
        assertThatThrownBy(this::pinned)
                .hasMessageContaining("no cached registration could be evicted")
                .extracting("status")
                .isEqualTo(UrmaStatus.ENOMEM);
        second.close();
        assertBalanced();
    }

    /** P40. */
    @Test
    void registrationsOfOneRangeAreIndependent() {
        registry.register(client);
        PeerRegion one = pinned();
        PeerRegion other = pinned();
        Keys otherKeys = new Keys();
        one.activate(keys);
        other.activate(otherKeys);

        one.close();
        client.acquisitions.get(1).free();

        assertThat(keys.calls).isEmpty();
        assertThat(otherKeys.calls).containsExactly("revoke FREED", "invalidated FREED");
        other.close();
        assertBalanced();
    }

    /** P42. */
    @Test
    void namesAreUniqueShortAndPrintable() {
        registry.register(client);

        assertThatThrownBy(() -> registry.register(new ScriptedClient("first")))
                .hasMessageContaining("client name first is taken");
        assertThatThrownBy(() -> registry.register(new ScriptedClient("x".repeat(64))))
                .hasMessageContaining("must have 1…63");
        assertThatThrownBy(() -> registry.register(new ScriptedClient(""))).hasMessageContaining("must have 1…63");
        assertThatThrownBy(() -> registry.register(new ScriptedClient("a\nb"))).hasMessageContaining("printable");
        registry.register(new ScriptedClient("x".repeat(63)));
        ScriptedClient old = new ScriptedClient("old");
        old.version = new ClientVersion(0, 9);
        assertThatThrownBy(() -> registry.register(old)).hasMessageContaining("has version 0.9; this accepts 1.x");
    }

    /** P43. */
    @ParameterizedTest
    @EnumSource(ClientStyle.class)
    void memoryThatCanVanishIsNotForKeysThatCannotBeRevoked(ClientStyle style) {
        client.style = style;
        registry.register(client);
        PinRequest fixed = new PinRequest(null, new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(), false);

        if (style == ClientStyle.PERSISTENT) {
            registry.pin(fixed).close();
        } else {
            assertThatThrownBy(() -> registry.pin(fixed)).hasMessageContaining("first (passed over");
            assertThat(client.calls).isEmpty();
        }
    }

    /** P45: what a client fails to undo is counted, and the rest is undone. */
    @ParameterizedTest
    @ValueSource(strings = {"dmaUnmap:nic0", "putPages", "release"})
    void aTearDownGoesOnAfterAFailure(String failing) {
        client.failing(failing, new IllegalStateException("device fell off the bus"));
        registry.register(client);
        PeerRegion region = pinned();
        region.activate(keys);
        region.close();

        assertThat(client.calls).containsSubsequence("dmaUnmap:nic0#0", "putPages#0", "release#0");
        assertThat(counters("first").failures()).isOne();
        assertBalanced();
    }

    /** S2.2: such as of a function that the client's library lacks. */
    @ParameterizedTest
    @ValueSource(strings = {"dmaUnmap:nic0", "putPages", "release"})
    void aTearDownGoesOnAfterAnError(String failing) {
        client.in(failing, () -> {
            throw new UnsatisfiedLinkError("planned");
        });
        PeerClientRegistration registration = registry.register(client);
        PeerRegion region = pinned();
        region.activate(keys);
        region.close();

        assertThat(client.calls).containsSubsequence("dmaUnmap:nic0#0", "putPages#0", "release#0");
        assertThat(registration.unregister()).isCompleted();
    }

    @Test
    void refusedMemoryTellsItsReason() {
        registry.register(new ForeignClient("managed", client.calls) {
            @Override
            public Ownership acquire(DeviceRange range) {
                return new Ownership.Refused("is managed memory, which moves between host and device");
            }
        });
        registry.register(client);

        assertThatThrownBy(this::pinned).hasMessageContaining("refuses memory").hasMessageContaining("managed memory");
        assertThat(client.calls).isEmpty();
    }

    private PeerCounters counters(String name) {
        Map<String, PeerCounters> all = registry.counters();
        PeerCounters counters = all.get(name);
        assertThat(counters).as("counters of %s in %s", name, all).isNotNull();
        return counters;
    }

    private void assertBalanced() {
        PeerCounters all = counters("first");
        assertThat(all.allocated()).isEqualTo(all.deallocated());
        assertThat(all.registeredPages()).isEqualTo(all.deregisteredPages());
        assertThat(all.registeredBytes()).isEqualTo(all.deregisteredBytes());
    }

    /** Owns nothing. */
    private static class ForeignClient extends DelegatingClient {
        private final String name;
        private final List<String> calls;

        ForeignClient(String name, List<String> calls) {
            super(new ScriptedClient(name));
            this.name = name;
            this.calls = calls;
        }

        @Override
        public Ownership acquire(DeviceRange range) {
            calls.add(name);
            return Ownership.NOT_MINE;
        }
    }
}
