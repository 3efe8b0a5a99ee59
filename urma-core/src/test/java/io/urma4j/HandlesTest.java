package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.FakeContext.FakeImport;
import io.urma4j.FakeContext.FakeSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** SEMANTICS §4: handles, the references between them, and the order of closing. */
class HandlesTest {
    private final FakeHome home = new FakeHome();
    private final UrmaContext context = home.context;

    @AfterEach
    void everythingIsClosedInTheEnd() {
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    @Test
    void whatIsUsedCannotBeClosedAndNamesItsUsers() {
        Jfce jfce = context.createJfce();
        Jfc jfc = context.createJfc(JfcConfig.DEFAULT, jfce);
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        Jetty jetty = context.createJetty(jfc, jfr, JfsConfig.DEFAULT);
        assertBusy(jfce::close, jfc);
        assertBusy(jfc::close, jfr);
        assertBusy(jfr::close, jetty);
        assertBusy(jetty.jfs()::close, jetty);
        jetty.close();
        jfr.close();
        jfc.close();
        jfce.close();
    }

    /** S4.2, S12.6: a second close does not wait for what the provider never began. */
    @ParameterizedTest
    @MethodSource
    void closesOfAnImportFailAlike(Throwable failure) {
        RemoteSegment remote = home.imported(Access.READ);
        FakeImport.of(remote, context).onClose = () -> FakeContext.fail(failure);
        assertRefused(UrmaStatus.FAIL, remote::close).withMessageContaining("planned");
        assertRefused(UrmaStatus.FAIL, remote::close).withMessageContaining("planned");
    }

    static Stream<Throwable> closesOfAnImportFailAlike() {
        return Stream.of(new IllegalStateException("planned"), new AssertionError("planned"));
    }

    /** The same of a registration, whose memory can be closed then. */
    @ParameterizedTest
    @MethodSource("closesOfAnImportFailAlike")
    void memoryOfARegistrationWhoseEndFailsIsFree(Throwable failure) {
        SharedMemory memory = context.allocate(4096);
        LocalSegment segment = context.register(memory, Access.READ);
        FakeSegment.of(segment, context).onUnregister = () -> FakeContext.fail(failure);
        assertRefused(UrmaStatus.FAIL, segment::close).withMessageContaining("planned");
        assertRefused(UrmaStatus.FAIL, segment::close).withMessageContaining("planned");
        memory.close();
    }

    @Test
    void memoryIsHeldByItsSegment() {
        SharedMemory memory = context.allocate(4096);
        LocalSegment segment = context.register(memory, Access.READ);
        assertBusy(memory::close, segment);
        segment.close();
        memory.close();
        assertInvalid(memory::segment).withMessageContaining("is closed");
        assertInvalid(() -> context.register(memory, Access.READ)).withMessageContaining("is closed");
    }

    /** S2.2: a native call uses it for longer than a close waits. */
    @Test
    void memoryWhoseCloseIsRefusedIsOpen() {
        SharedMemory memory = context.allocate(4096);
        FakeContext fake = FakeContext.of(context);
        fake.memoryRefusals.add(new UrmaException(UrmaStatus.EAGAIN, memory, "a native call still uses it"));

        assertRefused(UrmaStatus.EAGAIN, memory::close);
        assertThat(memory.segment().byteSize()).isEqualTo(4096);
        context.register(memory, Access.READ).close();
        memory.close();

        assertThat(fake.open).doesNotContain("memory");
        context.closeIfUnused();
    }

    @Test
    void contextTriesToCloseItsMemoryAgain() {
        SharedMemory memory = context.allocate(4096);
        FakeContext fake = FakeContext.of(context);
        fake.memoryRefusals.add(new UrmaException(UrmaStatus.EAGAIN, memory, "a native call still uses it"));

        context.close();

        assertThat(fake.open).doesNotContain("memory");
        memory.close();
    }

    /** S12.6. */
    @Test
    void closedContextEndsAWaitForEvents() throws InterruptedException {
        Thread waiting = Thread.ofPlatform().daemon().start(() -> {
            try {
                assertThat(context.events().await(Duration.ofMinutes(10))).isEmpty();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }

        context.close();

        assertThat(waiting.join(Duration.ofSeconds(20))).isTrue();
        assertThat(context.events().await(Duration.ofMinutes(10))).isEmpty();
    }

    @Test
    void unfinishedWorkHoldsSegments() {
        LocalSegment segment = home.segment();
        RemoteSegment remote = home.imported(Access.READ);
        FakeSegment.of(segment, context).unfinished = 2;
        FakeImport.of(remote, context).unfinished = 1;
        assertRefused(UrmaStatus.EAGAIN, segment::close).withMessageContaining("2 unfinished work requests");
        assertRefused(UrmaStatus.EAGAIN, remote::close).withMessageContaining("1 unfinished work requests");
        FakeSegment.of(segment, context).unfinished = 0;
        FakeImport.of(remote, context).unfinished = 0;
        segment.close();
        remote.close();
        segment.close(); // once more: nothing
        remote.close();
    }

    private static void assertBusy(org.assertj.core.api.ThrowableAssert.ThrowingCallable close, Object user) {
        assertRefused(UrmaStatus.EAGAIN, close).withMessageContaining("still used by " + user);
    }

    @Test
    void closingTheContextClosesItsTree() {
        home.segment();
        home.imported(Access.READ);
        home.jetty(TransportMode.RM);
        home.jfs();
        assertThat(home.fake.open).isNotEmpty();
        assertRefused(UrmaStatus.EAGAIN, context::closeIfUnused).withMessageContaining("still open");
        context.close();
        assertThat(home.fake.open).isEmpty();
        assertInvalid(() -> context.allocate(8)).withMessageContaining("is closed");
        assertInvalid(() -> context.createJfc(JfcConfig.DEFAULT));
        assertInvalid(context::createJfce);
        context.close();
    }

    @Test
    void closingIsDoneAlsoByAnInterruptedThread() {
        home.imported(Access.READ);
        Thread.currentThread().interrupt();
        context.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(home.fake.open).isEmpty();
    }

    @Test
    void allUsesAfterCloseAreRefused() {
        LocalSegment segment = home.segment();
        Jfce jfce = context.createJfce();
        Jfc jfc = context.createJfc(JfcConfig.DEFAULT, jfce);
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        Jfs jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
        List.of(jfs, jfr, jfc, jfce).forEach(HandlesTest::closeQuietly);
        assertInvalid(() -> jfc.poll(new CompletionBatch(1))).withMessageContaining("is closed");
        assertInvalid(() -> jfc.rearm(false));
        assertInvalid(() -> jfr.receive(segment, 0, 8, 1));
        assertInvalid(() -> jfr.modify(ReceiveState.ERROR));
        assertInvalid(() -> jfs.modify(QueueState.ERROR));
        assertInvalid(() -> jfs.flush(new CompletionBatch(1)));
        assertInvalid(() -> jfs.post(new WorkRequestList(1, 1)));
        assertInvalid(() -> jfce.await(Duration.ZERO));
        assertInvalid(() -> context.createJfs(jfc, JfsConfig.DEFAULT));
    }

    private static void closeQuietly(AutoCloseable handle) {
        try {
            handle.close();
        } catch (Exception e) {
            throw new AssertionError(handle + " did not close", e);
        }
    }

    @Test
    void whoWaitsAtAJfceSeesItClosed() {
        Jfce jfce = context.createJfce();
        List<Throwable> seen = new CopyOnWriteArrayList<>();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                jfce.await(Duration.ofSeconds(30));
            } catch (UrmaException | InterruptedException e) {
                seen.add(e);
            }
        });
        Awaitility.await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        jfce.close();
        Awaitility.await().untilAsserted(() -> assertThat(seen).hasSize(1));
        assertThat(seen.getFirst()).isInstanceOf(UrmaException.class).hasMessageContaining("is closed");
    }

    @Test
    void aSecondCloseOfASegmentWaitsForTheFence() throws Exception {
        LocalSegment segment = home.segment();
        CompletableFuture<Revocation> fence = new CompletableFuture<>();
        FakeSegment.of(segment, context).revocation = fence;
        CompletableFuture<Revocation> first =
                CompletableFuture.supplyAsync(() -> segment.unregister(Duration.ofSeconds(5)));
        Awaitility.await().until(() -> !home.fake.open.contains("segment"));
        CompletableFuture<Revocation> second =
                CompletableFuture.supplyAsync(() -> segment.unregister(Duration.ofSeconds(5)));
        assertThat(second).isNotDone();
        Revocation quarantined = new Revocation(Revocation.Status.QUARANTINED, List.of("a peer"));
        fence.complete(quarantined);
        assertThat(first.get()).isEqualTo(quarantined);
        assertThat(second.get()).isEqualTo(quarantined);
    }

    /** S7.3: the memory is of another context, which is closed before the registration has its segment. */
    @Test
    void aRegistrationWhoseMemoryIsClosedMeanwhileIsUndone() {
        UrmaContext other = home.urma.device(FakeProvider.DEVICE).openContext();
        SharedMemory memory = other.allocate(64);
        home.fake.whileRegistering = other::close;

        assertInvalid(() -> context.register(memory, Access.READ)).withMessageContaining("is closed");

        assertThat(home.fake.open).doesNotContain("segment");
    }

    @Test
    void anUnregistrationWithoutATimeoutIsRefusedAndChangesNothing() {
        LocalSegment segment = home.segment();

        assertInvalid(() -> segment.unregister(null)).withMessageContaining("timeout is null");

        assertThat(segment.importing()).isEmpty();
        assertThat(segment.unregister(Duration.ofSeconds(5)).isComplete()).isTrue();
    }

    @Test
    void heapAndForeignMemoryHaveTheirLimits() {
        assertInvalid(() -> context.registerForeign(MemorySegment.ofArray(new byte[8]), Access.LOCAL_ONLY))
                .withMessageContaining("on the Java heap");
        try (Arena arena = Arena.ofShared()) {
            assertInvalid(() -> context.registerForeign(arena.allocate(8), Access.READ))
                    .withMessageContaining("use allocate() for memory that peers can import");
            assertInvalid(() -> context.registerForeign(arena.allocate(0), Access.LOCAL_ONLY))
                    .withMessageContaining("length of the memory is 0");
            LocalSegment segment = context.registerForeign(arena.allocate(8), Access.LOCAL_ONLY);
            assertThat(segment.lengthBytes()).isEqualTo(8);
            segment.close();
        }
    }

    @Test
    void localSegmentsAreNotShared() {
        LocalSegment segment = context.register(context.allocate(8), Access.LOCAL_ONLY);
        assertInvalid(segment::share).withMessageContaining("is LOCAL_ONLY and cannot be imported");
        assertInvalid(() -> segment.publish("name")).withMessageContaining("LOCAL_ONLY");
        assertInvalid(() -> home.segment().publish("../name")).withMessageContaining("1…255 letters");
        assertInvalid(() -> home.segment().publish("")).withMessageContaining("1…255 letters");
        home.segment().publish("a".repeat(255));
    }

    @Test
    void configurationsAreCheckedAgainstTheDevice() {
        Jfc jfc = home.jfc();
        JfrConfig negative =
                JfrConfig.builder().minRnrTimer(Duration.ofNanos(-1)).build();
        assertInvalid(() -> context.createJfr(jfc, negative)).withMessageContaining("must not be negative");
        JfrConfig longest =
                JfrConfig.builder().minRnrTimer(Duration.ofMillis(5)).build();
        context.createJfr(jfc, longest).close();
        JfrConfig tooLong =
                JfrConfig.builder().minRnrTimer(Duration.ofNanos(5_000_001)).build();
        assertInvalid(() -> context.createJfr(jfc, tooLong))
                .withMessageContaining("minRnrTimer PT0.005000001S is longer than 5000 µs");
        assertInvalid(() -> context.createJfc(new JfcConfig(0, false))).withMessageContaining("depth of the JFC is 0");
        assertInvalid(() -> context.createJfc(new JfcConfig(1025, false))).withMessageContaining("1…1024");
        assertInvalidJfs(jfc, JfsConfig.builder().depth(257), "depth of the JFS is 257, must lie in 1…256");
        assertInvalidJfs(jfc, JfsConfig.builder().maxSges(5), "maxSges is 5, must lie in 1…4");
        assertInvalidJfs(jfc, JfsConfig.builder().maxInlineBytes(209), "maxInlineBytes is 209, must lie in 0…208");
        assertInvalidJfs(jfc, JfsConfig.builder().rnrRetry(8), "rnrRetry is 8, must lie in 0…7");
        assertInvalidJfs(jfc, JfsConfig.builder().id(1 << 24), "id is 16777216");
        assertInvalidJfs(jfc, JfsConfig.builder().timeout(Duration.ZERO), "timeout is PT0S");
        assertInvalidJfs(jfc, JfsConfig.builder().mode(TransportMode.RC), "mode RC supports only Jetties");
        JfrConfig signed = JfrConfig.builder().policy(TokenPolicy.SIGNED).build();
        assertInvalid(() -> context.createJfr(jfc, signed)).withMessageContaining("token policy SIGNED is not one of");
        assertInvalid(() -> context.allocate(0)).withMessageContaining("lengthBytes is 0");
        assertInvalid(() -> context.allocate((1 << 30) + 1L));
        Jfr rm = context.createJfr(jfc, JfrConfig.builder().build());
        JfsConfig rc = JfsConfig.builder().mode(TransportMode.RC).build();
        assertInvalid(() -> context.createJetty(jfc, rm, rc)).withMessageContaining("differ from the Jetty's RC");
    }

    private void assertInvalidJfs(Jfc jfc, JfsConfig.Builder config, String message) {
        assertInvalid(() -> context.createJfs(jfc, config.build())).withMessageContaining(message);
    }
}
