package io.urma4j.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.ScriptedClient.Scripted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a free at the wrong moment costs: an error, never a byte. */
@Timeout(60)
class InvalidationTest {
    private static final DmaDevice NIC = new DmaDevice("nic0", 64, 1, true);

    private final PeerMemoryRegistry registry = new PeerMemoryRegistry(64, -2, Duration.ofMillis(500));
    private final ScriptedClient client = new ScriptedClient("npu");
    private final PeerClientRegistration registration = registry.register(client);
    private final CopyStream stream = client.streams.openStream();
    private final Keys keys = new Keys();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment host = arena.allocate(4096);

    @AfterEach
    void everythingIsGivenBack() {
        arena.close();
        assertThat(client.calls).noneMatch(call -> call.startsWith("WRONG"));
        PeerCounters all = registration.counters();
        assertThat(all.registeredPages()).isEqualTo(all.deregisteredPages());
        assertThat(all.registeredBytes()).isEqualTo(all.deregisteredBytes());
    }

    private PeerRegion pinned() {
        return registry.pin(
                new PinRequest(null, new DeviceRange(0, ScriptedClient.BASE, 4096), true, List.of(NIC), true));
    }

    private PeerRegion active() {
        PeerRegion region = pinned();
        region.activate(keys);
        return region;
    }

    /** An active region of 8 bytes of another client. */
    private static PeerRegion activeIn(PeerMemory memory, String client, int ordinal) {
        DeviceRange range = new DeviceRange(ordinal, ScriptedClient.BASE, 8);
        PeerRegion region = memory.registry().pin(new PinRequest(client, range, true, List.of(NIC), true));
        region.activate(new Keys());
        return region;
    }

    /** An active region with a copy that only the test ends. */
    private PeerRegion activeUnder(Copy hanging) {
        client.streams.aborts = false;
        PeerRegion region = active();
        region.copyIn(stream, 0, host, hanging);
        return region;
    }

    private Scripted acquisition() {
        return client.acquisitions.getLast();
    }

    private static Thread started(Runnable action) {
        return Thread.ofPlatform().daemon().start(action);
    }

    private static void awaitWaiting(Thread thread) throws InterruptedException {
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).as("%s waits", thread).isTrue();
            Thread.sleep(1);
        }
    }

    private static void join(Thread thread) throws InterruptedException {
        assertThat(thread.join(Duration.ofSeconds(30))).as("%s ended", thread).isTrue();
    }

    /** P18: another thread frees while the pages are pinned and not mapped. */
    @Test
    void aFreeBetweenPinAndMapFailsTheRegistration() throws InterruptedException {
        AtomicReference<Thread> freeing = new AtomicReference<>();
        client.in("dmaMap:nic0", () -> {
            Thread thread = started(acquisition()::free);
            freeing.set(thread);
            try {
                awaitWaiting(thread);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        PeerRegion region = pinned();

        assertThatThrownBy(() -> region.activate(keys))
                .hasMessageContaining("was invalidated while it was registered: FREED");
        join(freeing.get());
        region.close();

        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        assertThat(client.calls)
                .containsExactly(
                        "acquire#0", "getPages#0", "dmaMap:nic0#0", "dmaUnmap:nic0#0", "putPages#0", "release#0");
    }

    /** P18: the client itself calls back within getPages, as one that finds its memory gone. */
    @Test
    void aCallBackWithinGetPagesFailsTheRegistration() {
        client.in("getPages", () -> acquisition().free());
        PeerRegion region = pinned();

        assertThatThrownBy(() -> region.activate(keys)).hasMessageContaining("FREED");
        region.close();
        assertThat(client.calls).containsSubsequence("dmaUnmap:nic0#0", "putPages#0", "release#0");
    }

    /** P19. */
    @Test
    void aFreeBetweenMapAndActivationRevokesTheKeysOnce() {
        PeerRegion region = pinned();
        acquisition().free();
        assertThat(client.calls).endsWith("dmaUnmap:nic0#0", "putPages#0");
        assertThat(keys.calls).isEmpty();

        assertThatThrownBy(() -> region.activate(keys))
                .hasMessageContaining("was invalidated while it was registered: FREED");
        region.close();
        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        assertThat(client.calls).endsWith("putPages#0", "release#0");
    }

    /** A region that its provider has lost hinders no free. */
    @Test
    void aRegionThatIsNeverActivatedIsInvalidated() {
        PeerRegion region = pinned();
        assertThat(registration.unregisterByForce()).isNotDone();
        acquisition().free();
        assertThat(client.calls).endsWith("putPages#0");
        region.close();
        assertThat(registration.unregister()).succeedsWithin(Duration.ofSeconds(5));
    }

    /** A move before the activation: the first copy pins. */
    @Test
    void pagesThatMoveBeforeTheActivationArePinnedByTheFirstCopy() {
        ScriptedClient dynamic = new ScriptedClient("dynamic");
        dynamic.style = ClientStyle.DYNAMIC;
        registry.register(dynamic);
        PeerRegion region = registry.pin(
                new PinRequest("dynamic", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));
        dynamic.acquisitions.getFirst().invalidate(InvalidationReason.REMAPPED);
        Copy copy = new Copy();
        MemorySegment eight = host.asSlice(0, 8);
        assertThatThrownBy(() -> region.copyIn(stream, 0, eight, copy)).hasMessageContaining("it is MOVED");

        region.activate(keys);
        region.copyIn(stream, 0, eight, copy);

        assertThat(dynamic.calls).endsWith("getPages#0", "dmaMap:nic0#0");
        client.streams.completeFirst();
        region.close();
    }

    /** P20. */
    @ParameterizedTest
    @EnumSource(
            value = ClientStyle.class,
            names = {"LEGACY", "UNMAPS", "DYNAMIC"})
    void aFreeOfAnIdleRegionLeavesNothingToUndo(ClientStyle style) {
        ScriptedClient other = new ScriptedClient("other");
        other.style = style;
        assertThat(registration.unregister()).isDone();
        PeerClientRegistration otherRegistration = registry.register(other);
        PeerRegion region = active();

        other.acquisitions.getFirst().free();

        assertThat(region.isUsable()).isFalse();
        int calls = other.calls.size();
        region.close();
        assertThat(other.calls.subList(calls, other.calls.size())).containsExactly("release#0");
        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        assertThat(otherRegistration.counters().deregisteredPages()).isOne();
        assertThat(otherRegistration.counters().freeCallbacks()).isOne();
        assertThat(other.calls.contains("putPages#0")).isEqualTo(style != ClientStyle.UNMAPS);
    }

    /** P22: copies after an invalidation. */
    @Test
    void copiesOfAnInvalidatedRegionAreRefused() {
        PeerRegion region = active();
        acquisition().free();

        Copy copy = new Copy();
        assertThatThrownBy(() -> region.copyIn(stream, 0, host, copy)).hasMessageContaining("it is INVALIDATED");
        assertThat(copy.isDone()).isTrue();
        assertThat(client.streams.running).isEmpty();
        region.close();
        assertThatThrownBy(() -> region.copyOut(stream, 0, host, copy)).hasMessageContaining("it is RELEASED");
    }

    /** The fence waits for a copy in progress; the keys are revoked before. */
    @Test
    void aFreeReturnsAfterTheCopiesInProgress() throws InterruptedException {
        Copy copy = new Copy();
        PeerRegion region = activeUnder(copy);
        Thread freeing = started(acquisition()::free);
        while (keys.calls.isEmpty()) {
            Thread.sleep(1);
        }
        Thread.sleep(20);
        assertThat(freeing.isAlive()).isTrue();
        assertThat(client.calls).doesNotContain("dmaUnmap:nic0#0");

        client.streams.completeFirst();
        join(freeing);

        assertThat(copy.failure()).isNull();
        assertThat(registration.counters().lateFences()).isOne();
        region.close();
    }

    /** P28. */
    @Test
    void aCopyThatDoesNotEndIsAborted() {
        PeerRegion region = active();
        Copy copy = new Copy();
        region.copyIn(stream, 8, host.asSlice(0, 8), copy);

        acquisition().free();

        assertThat(copy.isDone()).isTrue();
        assertThat(copy.failure()).hasMessageContaining("aborted");
        assertThat(region.copiesInFlight()).isZero();
        region.close();
    }

    /** P23. */
    @Test
    void aSecondInvalidationAndAnUnknownTicketDoNothing() {
        PeerRegion region = active();
        Scripted acquisition = acquisition();
        acquisition.free();
        acquisition.free();
        region.close();
        acquisition.free();

        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        assertThat(registration.counters().freeCallbacks()).isEqualTo(2);
        assertThat(registration.counters().unknownTickets()).isOne();
    }

    /** A client cannot name the registration of another one. */
    @Test
    void aTicketOfAnotherClientIsUnknown() {
        PeerRegion region = active();
        ScriptedClient other = new ScriptedClient("other");
        PeerClientRegistration otherRegistration = registry.register(other);
        PeerRegion ofOther = registry.pin(new PinRequest("other", region.range(), true, List.of(), true));

        other.acquisitions.getFirst().invalidator.invalidate(acquisition().ticket, InvalidationReason.FREED);

        assertThat(region.isUsable()).isTrue();
        assertThat(otherRegistration.counters().unknownTickets()).isOne();
        ofOther.close();
        region.close();
    }

    /** Tickets wrap, and pass over those in use. */
    @Test
    void ticketsWrapAndAreNotReusedSoon() {
        PeerRegion first = active();
        int firstTicket = acquisition().ticket.number();
        for (int i = 1; i <= 5; i++) {
            pinned().close();
            assertThat(acquisition().ticket.number()).isEqualTo(firstTicket + i);
        }
        first.close();
    }

    /** P24. */
    @Test
    @Timeout(600) // 100,000 threads in the full run
    void invalidationRacingDeregistrationReleasesOnce() throws Exception {
        long seed = System.nanoTime();
        int runs = Boolean.getBoolean("urma.full") ? 100_000 : 2_000;
        Random random = new Random(seed);
        for (int i = 0; i < runs; i++) {
            client.calls.clear();
            client.acquisitions.clear();
            PeerRegion region = active();
            Scripted acquisition = acquisition();
            int spins = random.nextInt(200);
            CountDownLatch go = new CountDownLatch(1);
            Thread freeing = started(() -> {
                await(go);
                acquisition.free();
            });
            go.countDown();
            for (int j = 0; j < spins; j++) {
                Thread.onSpinWait();
            }
            region.close();
            join(freeing);
            assertThat(client.calls)
                    .as("run %d of seed %d", i, seed)
                    .containsExactly(
                            "acquire#0", "getPages#0", "dmaMap:nic0#0", "dmaUnmap:nic0#0", "putPages#0", "release#0");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A deregistration must not wait for a client's lock that a freeing thread holds while it waits for the registry. */
    @Test
    void aClientMayHoldItsLockWhileItInvalidates() throws InterruptedException {
        Object clientLock = new Object();
        client.in("putPages", () -> {
            synchronized (clientLock) {
                // as a driver's: the free below holds it
            }
        });
        PeerRegion region = active();
        Scripted acquisition = acquisition();
        CountDownLatch locked = new CountDownLatch(1);
        Thread freeing = started(() -> {
            synchronized (clientLock) {
                locked.countDown();
                acquisition.free();
            }
        });
        await(locked);
        region.close();
        join(freeing);
    }

    /** P25, P26. */
    @Test
    void unregistrationWaitsForTheLastRelease() throws InterruptedException {
        PeerRegion region = active();
        CompletableFuture<Void> gone = registration.unregister();

        assertThat(gone).isNotDone();
        assertThat(registration.holders()).containsExactly("npu:0 memory 0x7f0000000000 + 4096");
        assertThatThrownBy(this::pinned).hasMessageContaining("asked: none");
        Thread freeing = started(acquisition()::free);
        join(freeing);
        assertThat(gone).isNotDone();

        region.close();
        assertThat(gone).succeedsWithin(Duration.ofSeconds(5));
        assertThat(client.calls).endsWith("release#0", "close");
        assertThat(registration.unregister()).isDone();
    }

    @Test
    void unregistrationByForceRevokesFirst() {
        PeerRegion region = active();
        CompletableFuture<Void> gone = registration.unregisterByForce();

        assertThat(keys.calls).containsExactly("revoke CLIENT_GONE", "invalidated CLIENT_GONE");
        assertThat(gone).isNotDone();
        region.close();
        assertThat(gone).succeedsWithin(Duration.ofSeconds(5));
    }

    /** P27. */
    @Test
    void withinAnInvalidationNothingIsRegisteredOrClosed() {
        PeerRegion region = active();
        AtomicInteger refused = new AtomicInteger();
        client.in("putPages", () -> {
            for (Runnable action : List.<Runnable>of(this::pinned, region::close)) {
                try {
                    action.run();
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
            }
        });

        acquisition().free();

        assertThat(refused).hasValue(2);
        region.close();
    }

    @Test
    void aUserThatThrowsDoesNotKeepThePages() {
        PeerRegion region = pinned();
        region.activate(new RegionUser() {
            @Override
            public void revoke(InvalidationReason reason) {
                throw new IllegalStateException("first");
            }

            @Override
            public void invalidated(InvalidationReason reason) {
                throw new IllegalStateException("second");
            }
        });
        acquisition().free();
        assertThat(client.calls).contains("putPages#0");
        region.close();
    }

    /** A client that never answers costs its caller a timeout; its late answer is undone. */
    @Test
    void aClientThatDoesNotAnswerIsGivenUp() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        client.in("dmaMap:nic0", () -> await(answer));
        assertThatThrownBy(this::pinned)
                .hasMessageContaining("did not return from acquire, getPages or dmaMap within 500 ms")
                .extracting("status")
                .isEqualTo(UrmaStatus.ETIMEOUT);
        assertThat(registration.holders()).hasSize(1);

        client.in("dmaMap:nic0", () -> {});
        pinned().close();
        answer.countDown();
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (!registration.holders().isEmpty()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Thread.sleep(1);
        }
        assertThat(client.calls).contains("dmaUnmap:nic0#0", "putPages#0", "release#0");
        assertThat(registration.counters().failures()).isOne();
    }

    /** Each stuck call costs a thread, so their number is limited; a client that answers again is asked again. */
    @Test
    void callsThatDoNotReturnAreLimited() throws InterruptedException {
        PeerMemoryRegistry impatient = new PeerMemoryRegistry(64, 0, Duration.ofMillis(20));
        ScriptedClient hanging = new ScriptedClient("hanging");
        CountDownLatch answer = new CountDownLatch(1);
        hanging.in("getPages", () -> await(answer));
        PeerClientRegistration hangingRegistration = impatient.register(hanging);
        PinRequest request = new PinRequest(null, new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(), true);
        for (int i = 0; i < 8; i++) {
            assertThatThrownBy(() -> impatient.pin(request)).hasMessageContaining("did not return");
        }
        assertThatThrownBy(() -> impatient.pin(request))
                .hasMessageContaining("does not answer: 8 calls have not returned");

        answer.countDown();
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (!hangingRegistration.holders().isEmpty()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Thread.sleep(1);
        }
        assertThat(hangingRegistration.counters().failures()).isEqualTo(8);
    }

    /** The client goes while a registration is in progress: its pages are given back by the registry. */
    @ParameterizedTest
    @EnumSource(ClientStyle.class)
    void unregistrationByForceReachesARegistrationInProgress(ClientStyle style) {
        ScriptedClient leaving = new ScriptedClient("leaving");
        leaving.style = style;
        PeerClientRegistration leavingRegistration = registry.register(leaving);
        AtomicReference<Thread> forcing = new AtomicReference<>();
        leaving.in("dmaMap:nic0", () -> {
            Thread thread = started(
                    () -> assertThat(leavingRegistration.unregisterByForce()).isNotDone());
            forcing.set(thread);
            try {
                awaitWaiting(thread);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        PeerRegion region = registry.pin(
                new PinRequest("leaving", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));

        assertThatThrownBy(() -> region.activate(keys)).hasMessageContaining("CLIENT_GONE");
        assertThat(leaving.calls).endsWith("dmaUnmap:nic0#0", "putPages#0");
        region.close();
        assertThat(leaving.calls).endsWith("release#0", "close");
    }

    /** A device that ends no copy: closing gives up, may be called again, and a free still waits. */
    @Test
    void closingGivesUpOnACopyThatDoesNotEnd() throws InterruptedException {
        PeerRegion region = activeUnder(new Copy());

        assertThatThrownBy(region::close)
                .hasMessageContaining("1 copies have not ended, although they were aborted")
                .extracting("status")
                .isEqualTo(UrmaStatus.ETIMEOUT);
        Thread freeing = started(acquisition()::free);
        Thread.sleep(20);
        assertThat(freeing.isAlive()).isTrue();
        client.streams.completeFirst();
        join(freeing);
        region.close();
        assertThat(client.calls).containsSubsequence("dmaUnmap:nic0#0", "putPages#0", "release#0");
    }

    /** Nothing else would close the region again. */
    @Test
    void anEndGoesOnOnceTheCopiesHaveEnded() throws InterruptedException {
        PeerRegion region = activeUnder(new Copy());

        assertThatThrownBy(() -> RegionEnd.of(region).get(30, TimeUnit.SECONDS))
                .cause()
                .hasMessageContaining("1 copies have not ended, although they were aborted");
        assertThat(region.isHeld()).isTrue();
        client.streams.completeFirst();

        awaitReleased(region);
        assertThat(client.calls).endsWith("dmaUnmap:nic0#0", "putPages#0", "release#0");
    }

    /** Pages of a client that hangs when they move. */
    @Test
    void anEndGoesOnOnceTheClientAnswers() throws InterruptedException {
        PeerRegion region = active();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        client.in("putPages", () -> {
            asked.countDown();
            await(answer);
        });
        Thread freeing = started(acquisition()::free);
        await(asked);

        assertThatThrownBy(() -> RegionEnd.of(region).get(30, TimeUnit.SECONDS))
                .cause()
                .hasMessageContaining("another thread's call of its client has not returned");
        answer.countDown();

        join(freeing);
        awaitReleased(region);
    }

    @Test
    void aWaitOfAnHourIsLoggedAFewTimes() {
        PeerRegion region = active();
        RegionLife life = new RegionLife(region);
        life.begin();
        assertThat(IntStream.rangeClosed(1, 3600).filter(_ -> life.isWarningDue()))
                .hasSize(12)
                .startsWith(1, 2, 4, 8);

        life.begin();
        assertThat(life.isWarningDue()).as("of the next transition").isTrue();
        region.close();
    }

    private static void awaitReleased(PeerRegion region) throws InterruptedException {
        awaitState(region, RegionState.RELEASED);
    }

    private static void awaitState(PeerRegion region, RegionState state) throws InterruptedException {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (region.life.state() != state) {
            assertThat(System.nanoTime() - deadline).as(region.stateText()).isNegative();
            Thread.sleep(1);
        }
    }

    /** S12.6: it delays the end of its own registration alone. */
    @Test
    void theEndOfAllClientsDoesNotWaitForACopyThatHangs() throws InterruptedException {
        ScriptedClient hanging = new ScriptedClient("hanging");
        hanging.streams.aborts = false;
        PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT);
        PeerClientRegistration hangingRegistration = memory.add(hanging);
        memory.add(new ScriptedClient("other"));
        List<PeerRegion> regions = Stream.of("hanging", "hanging", "other")
                .map(name -> activeIn(memory, name, 0))
                .toList();
        regions.getFirst().copyIn(hanging.streams.openStream(), 0, host.asSlice(0, 8), new Copy());

        memory.close(Duration.ofMillis(1));

        assertThat(hangingRegistration.holders()).hasSize(2);
        awaitState(regions.get(1), RegionState.INVALIDATED);
        awaitState(regions.get(2), RegionState.INVALIDATED);
        hanging.streams.completeFirst();
        regions.forEach(PeerRegion::close);
        assertThat(hangingRegistration.unregister()).succeedsWithin(Duration.ofSeconds(5));
    }

    /** S12.6: an interrupt does not leave a close half done. */
    @Test
    void theEndOfAllClientsIsWaitedForByAnInterruptedThreadToo() throws InterruptedException {
        ScriptedClient slow = new ScriptedClient("slow").in("dmaUnmap:nic0", () -> LockSupport.parkNanos(100_000_000));
        PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT);
        PeerClientRegistration ending = memory.add(slow);
        PeerRegion region = activeIn(memory, "slow", 0);
        CompletableFuture<Void> closedByItsUser = CompletableFuture.runAsync(
                        () -> awaitInvalidated(region), Thread::startVirtualThread)
                .thenRun(region::close);
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        Thread closing = started(() -> {
            Thread.currentThread().interrupt();
            memory.close(Duration.ofSeconds(20));
            wasInterrupted.set(Thread.interrupted() && region.life.state() == RegionState.RELEASED);
        });

        join(closing);

        assertThat(wasInterrupted).as("interrupted behind the end").isTrue();
        assertThat(closedByItsUser).succeedsWithin(Duration.ofSeconds(5));
        assertThat(ending.unregister()).isCompleted();
    }

    private static void awaitInvalidated(PeerRegion region) {
        try {
            awaitState(region, RegionState.INVALIDATED);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** S12.6: each revocation may take long, and a client may have thousands of registrations. */
    @Test
    void theEndOfAllClientsTakesFewThreads() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger revoking = new AtomicInteger();
        ScriptedClient slow = new ScriptedClient("slow").in("dmaUnmap:nic0", () -> {
            revoking.incrementAndGet();
            await(answer);
        });
        PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT);
        memory.add(slow);
        int count = 2 * PeerClientRegistration.MAX_REVOKING;
        List<PeerRegion> regions = IntStream.range(0, count)
                .mapToObj(_ -> activeIn(memory, "slow", 0))
                .toList();

        memory.close(Duration.ofMillis(200));

        assertThat(revoking).hasValueBetween(1, PeerClientRegistration.MAX_REVOKING);
        answer.countDown();
        for (PeerRegion region : regions) {
            awaitState(region, RegionState.INVALIDATED);
            region.close();
        }
    }

    /** S12.6: nor does the end of one device's registrations wait for the copies of another. */
    @Test
    void aDeviceThatHangsDelaysNoOtherOne() throws InterruptedException {
        ScriptedClient hanging = new ScriptedClient("hanging");
        hanging.streams.aborts = false;
        PeerMemory memory = PeerMemory.open(UrmaOptions.DEFAULT);
        memory.add(hanging);
        int hung = PeerClientRegistration.MAX_REVOKING;
        List<PeerRegion> regions = IntStream.rangeClosed(0, hung)
                .mapToObj(i -> activeIn(memory, "hanging", i < hung ? 0 : 1))
                .toList();
        regions.subList(0, hung)
                .forEach(region -> region.copyIn(hanging.streams.openStream(), 0, host.asSlice(0, 8), new Copy()));

        memory.close(Duration.ofMillis(1));

        awaitState(regions.getLast(), RegionState.INVALIDATED);
        for (int i = 0; i < hung; i++) {
            hanging.streams.completeFirst();
        }
        regions.forEach(PeerRegion::close);
    }

    /** As the free of a client does: its memory is free when it returns. */
    @Test
    void aForcedEndWaitsForTheCopiesThatAClosingHasGivenUp() throws InterruptedException {
        PeerRegion region = activeUnder(new Copy());
        assertThatThrownBy(region::close).hasMessageContaining("have not ended");

        Thread forcing = started(() -> region.revoke(InvalidationReason.FREED));
        Thread.sleep(20);
        assertThat(forcing.isAlive()).isTrue();
        client.streams.completeFirst();

        join(forcing);
        region.close();
    }

    /** Refuses a free, as CUDA does: a number of times, and while the first registration has pages. */
    private final class Refusing implements PeerAllocator {
        private int refusals;

        Refusing(int refusals) {
            this.refusals = refusals;
        }

        @Override
        public long granularityBytes() {
            return 4096;
        }

        @Override
        public long allocate(int ordinal, long lengthBytes) {
            return ScriptedClient.BASE;
        }

        @Override
        public void free(int ordinal, long address) {
            boolean isPinned = client.calls.contains("getPages#1") && !client.calls.contains("putPages#1");
            if (isPinned || refusals-- > 0) {
                throw new UrmaException(UrmaStatus.EAGAIN, client, "pages are pinned");
            }
            client.calls.add("free");
        }
    }

    private DeviceMemory allocated(PeerMemory owner, PeerAllocator allocator) {
        return DeviceMemory.allocate(owner, registry.clients().getFirst(), allocator, 0, 4096);
    }

    /** The client does not free memory whose pages are pinned. */
    @Test
    void aForcedFreeFollowsThePagesOfAClosingThatGaveUp() throws InterruptedException {
        try (PeerMemory owner = PeerMemory.open(UrmaOptions.DEFAULT)) {
            DeviceMemory memory = allocated(owner, new Refusing(0));
            PeerRegion region = activeUnder(new Copy());
            assertThatThrownBy(region::close).hasMessageContaining("have not ended");

            Thread forcing = started(memory::closeByForce);
            awaitWaiting(forcing);
            client.streams.completeFirst();
            join(forcing);

            assertThat(client.calls).containsSubsequence("putPages#1", "release#1", "free");
            assertThat(client.calls).containsOnlyOnce("free");
        }
    }

    @Test
    void aFreeThatTheClientRefusesIsLeftToTheNextClose() {
        try (PeerMemory owner = PeerMemory.open(UrmaOptions.DEFAULT)) {
            DeviceMemory memory = allocated(owner, new Refusing(1));
            assertThatThrownBy(memory::closeByForce)
                    .hasMessageContaining("pages are pinned")
                    .extracting("status")
                    .isEqualTo(UrmaStatus.EAGAIN);

            memory.close();
            memory.close();

            assertThat(client.calls).containsOnlyOnce("free");
        }
    }

    /** Its client hangs in the deregistration. */
    @ParameterizedTest
    @ValueSource(strings = {"dmaUnmap:nic0", "putPages"})
    void aRegionIsHeldUntilItsPagesArePut(String hanging) throws InterruptedException {
        PeerRegion region = active();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        client.in(hanging, () -> {
            asked.countDown();
            await(answer);
        });
        Thread closing = started(region::close);
        await(asked);

        assertThat(region.isHeld()).isTrue();
        answer.countDown();

        join(closing);
        awaitReleased(region);
        assertThat(region.isHeld()).isFalse();
    }

    @Test
    void aForcedEndWaitsForTheCopiesThatAClosingWaitsFor() throws InterruptedException {
        PeerRegion region = activeUnder(new Copy());
        Thread closing = started(() -> assertThatThrownBy(region::close).hasMessageContaining("have not ended"));
        awaitWaiting(closing);

        Thread forcing = started(() -> region.revoke(InvalidationReason.FREED));
        join(closing);
        Thread.sleep(1_000); // both have given up waiting for each other
        assertThat(forcing.isAlive()).isTrue();
        client.streams.completeFirst();

        join(forcing);
        region.close();
    }

    /** The client hangs while it pins them; the memory is free when it answers. */
    @Test
    void aForcedEndWithinARepinThatHangsAdmitsNoCopy() throws InterruptedException {
        ScriptedClient dynamic = new ScriptedClient("dynamic");
        dynamic.style = ClientStyle.DYNAMIC;
        registry.register(dynamic);
        PeerRegion region = registry.pin(
                new PinRequest("dynamic", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));
        region.activate(keys);
        dynamic.acquisitions.getFirst().invalidate(InvalidationReason.REMAPPED);
        CountDownLatch answer = new CountDownLatch(1);
        dynamic.in("getPages", () -> await(answer));
        assertThatThrownBy(region::reopen).hasMessageContaining("did not return from getPages");

        region.revoke(InvalidationReason.FREED);
        answer.countDown();

        assertThatThrownBy(() -> region.copyIn(stream, 0, host.asSlice(0, 8), new Copy()))
                .hasMessageContaining("it is INVALIDATED");
        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        region.close();
        assertThat(dynamic.calls).noneMatch(call -> call.startsWith("WRONG"));
    }

    /** A move fences and unmaps; the keys stay, and the next copy pins anew. */
    @Test
    void movedPagesArePinnedAnewByTheNextCopy() {
        client.style = ClientStyle.DYNAMIC;
        assertThat(registration.unregister()).isDone();
        PeerMemoryRegistry fresh = new PeerMemoryRegistry();
        PeerClientRegistration dynamic = fresh.register(client);
        PeerRegion region = fresh.pin(
                new PinRequest(null, new DeviceRange(0, ScriptedClient.BASE, 4096), true, List.of(NIC), true));
        region.activate(keys);

        acquisition().invalidate(InvalidationReason.REMAPPED);

        assertThat(client.calls).endsWith("dmaUnmap:nic0#0", "putPages#0");
        assertThat(keys.calls).isEmpty();
        assertThat(region.isUsable()).isTrue();
        Copy copy = new Copy();
        region.copyIn(stream, 0, host, copy);
        assertThat(client.calls).endsWith("getPages#0", "dmaMap:nic0#0");
        assertThat(dynamic.counters().repins()).isOne();
        client.streams.completeFirst();
        region.close();
        assertThat(client.calls).endsWith("dmaUnmap:nic0#0", "putPages#0", "release#0");
    }

    /** It is no free: what begins meanwhile waits. */
    @Test
    void aCopyThatBeginsWhileItsPagesMoveWaits() throws InterruptedException {
        ScriptedClient dynamic = new ScriptedClient("dynamic");
        dynamic.style = ClientStyle.DYNAMIC;
        registry.register(dynamic);
        PeerRegion region = registry.pin(
                new PinRequest("dynamic", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));
        region.activate(keys);
        CountDownLatch moves = new CountDownLatch(1);
        CountDownLatch moved = new CountDownLatch(1);
        dynamic.in("putPages", () -> {
            moves.countDown();
            await(moved);
        });
        Thread moving = started(() -> dynamic.acquisitions.getFirst().invalidate(InvalidationReason.REMAPPED));
        await(moves);

        Copy copy = new Copy();
        MemorySegment eight = host.asSlice(0, 8);
        assertThat(region.isUsable()).isTrue();
        assertThat(region.tryCopyIn(stream, 0, eight, copy)).isFalse();
        Thread copying = started(() -> region.copyIn(stream, 0, eight, copy));
        awaitWaiting(copying);
        dynamic.in("putPages", () -> {});
        moved.countDown();
        join(moving);
        join(copying);

        client.streams.completeFirst();
        assertThat(copy.failure()).isNull();
        region.close();
    }

    /** Pages that move each time they are pinned fail the operation after three times. */
    @Test
    void pagesThatKeepMovingFailTheCopy() {
        ScriptedClient restless = new ScriptedClient("restless");
        restless.style = ClientStyle.DYNAMIC;
        PeerClientRegistration restlessRegistration = registry.register(restless);
        PeerRegion region = registry.pin(
                new PinRequest("restless", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));
        region.activate(keys);
        Scripted acquisition = restless.acquisitions.getFirst();
        acquisition.invalidate(InvalidationReason.REMAPPED);
        restless.in("dmaMap:nic0", () -> acquisition.invalidate(InvalidationReason.REMAPPED));

        assertThatThrownBy(() -> region.copyIn(stream, 0, host.asSlice(0, 8), new Copy()))
                .hasMessageContaining("its pages have moved 3 times");

        assertThat(restlessRegistration.counters().repins()).isEqualTo(3);
        region.close();
        assertThat(keys.calls).isEmpty();
        assertThat(restless.calls).noneMatch(call -> call.startsWith("WRONG"));
    }

    /** Nor is one within a call that then fails. */
    @Test
    void aFreeWithinARepinThatFailsInvalidates() {
        ScriptedClient dynamic = new ScriptedClient("dynamic");
        dynamic.style = ClientStyle.DYNAMIC;
        registry.register(dynamic);
        PeerRegion region = registry.pin(
                new PinRequest("dynamic", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));
        region.activate(keys);
        Scripted acquisition = dynamic.acquisitions.getFirst();
        acquisition.invalidate(InvalidationReason.REMAPPED);
        dynamic.in("getPages", () -> {
            acquisition.free();
            throw new IllegalStateException("of a test");
        });

        assertThatThrownBy(() -> region.copyIn(stream, 0, host.asSlice(0, 8), new Copy()))
                .hasMessageContaining("of a test");

        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        assertThat(region.isUsable()).isFalse();
        region.close();
        assertThat(dynamic.calls).noneMatch(call -> call.startsWith("WRONG"));
    }

    /** A free that comes while moved pages are pinned anew is not lost. */
    @Test
    void aFreeWithinARepinInvalidates() {
        ScriptedClient dynamic = new ScriptedClient("dynamic");
        dynamic.style = ClientStyle.DYNAMIC;
        registry.register(dynamic);
        PeerRegion region = registry.pin(
                new PinRequest("dynamic", new DeviceRange(0, ScriptedClient.BASE, 8), true, List.of(NIC), true));
        region.activate(keys);
        Scripted acquisition = dynamic.acquisitions.getFirst();
        acquisition.invalidate(InvalidationReason.REMAPPED);
        dynamic.in("getPages", acquisition::free);

        assertThatThrownBy(() -> region.copyIn(stream, 0, host.asSlice(0, 8), new Copy()))
                .hasMessageContaining("it is INVALIDATED");

        assertThat(keys.calls).containsExactly("revoke FREED", "invalidated FREED");
        region.close();
    }

    @Test
    void aCopyBetweenTwoRegionsCountsInBoth() {
        PeerRegion from = active();
        PeerRegion to = pinned();
        to.activate(new Keys());
        CopyBatch batch = new CopyBatch(from.engine(), 8);
        batch.begin(from, to);
        batch.add(0, 0, 4096);
        batch.start(stream);
        assertThat(from.copiesInFlight()).isOne();
        assertThat(to.copiesInFlight()).isOne();

        client.acquisitions.get(1).free();

        assertThat(batch.copy().isDone()).isTrue();
        assertThat(from.copiesInFlight()).isZero();
        batch.begin(from, to);
        batch.add(0, 0, 1);
        assertThatThrownBy(() -> batch.start(stream)).hasMessageContaining("it is INVALIDATED");
        assertThat(from.copiesInFlight()).isZero();
        from.close();
        to.close();
    }

    @Test
    void copiesStayWithinTheRegion() {
        PeerRegion region = active();
        Copy copy = new Copy();
        assertThatThrownBy(() -> region.copyIn(stream, 1, host, copy))
                .hasMessageContaining("lies outside its 4096 bytes");
        assertThatThrownBy(() -> region.copyOut(stream, -1, host.asSlice(0, 1), copy))
                .hasMessageContaining("lies outside");
        region.copyOut(stream, 0, host, copy);
        assertThatThrownBy(() -> region.copyOut(stream, 0, host, copy)).hasMessageContaining("is in progress");
        client.streams.completeFirst();
        region.close();
    }
}
