package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** SEMANTICS §4: references between handles, and the meaning of close. */
public abstract class LifecycleContract extends Contract {
    private static final long PAUSE_NANOS = Patience.amount(500_000, 200_000_000);
    private static final int ROUNDS = Patience.amount(20, 5);

    protected LifecycleContract(String device) {
        super(device);
    }

    /** §4: a JFC cannot be closed while a queue uses it; the refusal names the queue. */
    @Rule("S4.1")
    @Test
    void jfcThatAQueueUsesIsNotClosed() {
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);

        assertRefused(UrmaStatus.EAGAIN, () -> queue.jfc().close())
                .hasMessageContaining(queue.jfs().toString());
        assertThat(queue.jfc().poll(new CompletionBatch(1))).isZero(); // it is still open

        queue.jfs().close();
        queue.jfc().close();
    }

    /** §4: a JFCE cannot be closed while a JFC uses it. */
    @Rule("S4.1")
    @Test
    void jfceThatAJfcUsesIsNotClosed() {
        var jfce = pair.initiator().context().createJfce();
        var jfc = pair.initiator().context().createJfc(JfcConfig.DEFAULT, jfce);

        assertRefused(UrmaStatus.EAGAIN, jfce::close).hasMessageContaining(jfc.toString());

        jfc.close();
        jfce.close();
    }

    /** §4: a JFR cannot be closed while a Jetty uses it. */
    @Rule("S4.1")
    @Test
    void jfrThatAJettyUsesIsNotClosed() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(jfc, JfrConfig.builder().build());
        var jetty = context.createJetty(jfc, jfr, JfsConfig.DEFAULT);

        assertRefused(UrmaStatus.EAGAIN, jfr::close).hasMessageContaining(jetty.toString());

        jetty.close();
        jfr.close();
        jfc.close();
    }

    /** §4: memory cannot be closed while a segment is registered on it. */
    @Rule("S4.1")
    @Test
    void memoryOfARegisteredSegmentIsNotFreed() {
        var context = pair.initiator().context();
        var memory = context.allocate(4096);
        var segment = context.register(memory, Access.READ);

        assertRefused(UrmaStatus.EAGAIN, memory::close).hasMessageContaining(segment.toString());

        segment.close();
        memory.close();
    }

    /** §4: a bound RC Jetty cannot be closed. */
    @Rule("S4.1")
    @Test
    void boundJettyIsNotClosed() {
        var connection = pair.connection();

        assertRefused(UrmaStatus.ENOPERM, () -> connection.here().close()).hasMessageContaining("bound");

        connection.here().unbind();
        connection.here().close();
    }

    /** §4: segments and targets that unfinished work requests name cannot be closed. */
    @Rule("S4.1")
    @Test
    void whatAnUnfinishedWorkRequestNamesIsNotClosed() {
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue();
        var message = pair.initiator().buffer(64);
        assertThat(queue.jfs().send(receiver.target(), message, 0, 64, 1)).isTrue(); // waits for a receive

        assertRefused(UrmaStatus.EAGAIN, message::close).hasMessageContaining("unfinished");
        assertRefused(UrmaStatus.EAGAIN, () -> receiver.target().close()).hasMessageContaining("unfinished");

        receiver.receive(1, 64, 0);
        assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        message.close();
        receiver.target().close();
    }

    /** S4.1: {@code closeIfUnused} refuses, and names what is open. */
    @Rule("S4.1")
    @Test
    void contextThatIsUsedIsNotClosedByTheRefusingForm() {
        var context = pair.anotherInitiator().context();

        assertRefused(UrmaStatus.EAGAIN, context::closeIfUnused).hasMessageContaining("JFS");
        assertRefused(UrmaStatus.EAGAIN, pair.urma()::closeIfUnused).hasMessageContaining(context.toString());
    }

    /** S4.1: a context closes all that is in it within its timeout, even with work in flight. */
    @Rule("S4.1")
    @Test
    void contextClosesAllThatIsInIt() {
        var other = pair.anotherInitiator();
        var imported = other.context()
                .importSegment(pair.home().segment(4096, Access.READ_WRITE).shared());
        var target = other.context().importJetty(pair.home().receiver().shared());
        other.queue().jfs().send(target, other.queue().scratch(), 0, 8, 1); // waits for a receive
        var memory = other.context().allocate(4096);
        other.context().register(memory, Access.READ_WRITE_ATOMIC);

        other.context().close();

        assertRefused(UrmaStatus.EINVAL, memory::segment).hasMessageContaining("closed");
        assertRefused(UrmaStatus.EINVAL, () -> other.queue().postWrites(imported, 1))
                .hasMessageContaining("closed");
    }

    /** S4.2: a second close has no effect. */
    @Rule("S4.2")
    @Test
    void closingTwiceIsClosingOnce() {
        var context = pair.anotherInitiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
        var segment = context.register(context.allocate(4096), Access.READ);
        var remote =
                context.importSegment(pair.home().segment(4096, Access.READ).shared());

        for (AutoCloseable closeable : List.<AutoCloseable>of(remote, segment, jfs, jfc, context)) {
            assertThatCode(() -> {
                        closeable.close();
                        closeable.close();
                    })
                    .doesNotThrowAnyException();
        }
    }

    /** S4.2: after a close, every call fails with "closed". */
    @Rule("S4.2")
    @Test
    void everyCallOnAClosedObjectSaysClosed() {
        var context = pair.anotherInitiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(jfc, JfrConfig.builder().build());
        var jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
        var memory = context.allocate(4096);
        var segment = context.register(memory, Access.READ);
        var remote = context.importSegment(
                pair.home().segment(4096, Access.READ_WRITE).shared());
        var target = context.importJetty(pair.home().receiver().shared());
        var jetty = context.createJetty(jfc, jfr, JfsConfig.DEFAULT);
        var channel = context.openMessageChannel();
        var peer = channel.connect(pair.home().receiver().shared());
        var reader = context.openPipe(4096);
        var writer = context.openPipeTo(pair.home().pipe(4096).share());
        var live = context.createJfs(context.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
        var source = context.register(context.allocate(64), Access.LOCAL_ONLY);
        for (AutoCloseable closeable : List.<AutoCloseable>of(
                jetty, jfs, jfr, jfc, segment, memory, remote, target, peer, channel, reader, writer)) {
            assertThatCode(closeable::close).doesNotThrowAnyException();
        }

        assertAllSayClosed(
                () -> jfs.write(remote, 0, source, 0, 8, 0),
                () -> jfs.modify(QueueState.ERROR),
                () -> jfs.flush(new CompletionBatch(1)),
                () -> jfs.post(new WorkRequestList(1, 1).nop(0)),
                () -> jfc.poll(new CompletionBatch(1)),
                () -> jfr.receive(source, 0, 8, 0),
                () -> jfr.modify(ReceiveState.ERROR),
                () -> jfr.rxThreshold(1),
                jfs::counters,
                jfr::counters,
                jfc::counters,
                () -> jetty.jfs().counters(),
                () -> jetty.jfr().counters(),
                peer::counters,
                channel::counters,
                reader::counters,
                writer::counters,
                () -> live.write(remote, 0, source, 0, 8, 0),
                () -> live.send(target, source, 0, 8, 0),
                () -> live.read(remote, 0, segment, 0, 8, 0),
                segment::descriptor,
                segment::importers,
                memory::segment,
                () -> context.register(memory, Access.READ));
        context.close();
        assertAllSayClosed(
                () -> context.allocate(64),
                context::createJfce,
                () -> context.createJfc(JfcConfig.DEFAULT),
                () -> live.write(remote, 0, source, 0, 8, 0));
    }

    private static void assertAllSayClosed(ThrowingCallable... calls) {
        for (ThrowingCallable call : calls) {
            assertRefused(UrmaStatus.EINVAL, call).hasMessageContaining("closed");
        }
    }

    /** S4.2: no race with a close crashes: posts are accepted, or refused as closed. */
    @Rule({"S4.2", "S13.1"})
    @Test
    void postsThatRaceWithACloseAreAcceptedOrRefusedAsClosed() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            var other = pair.anotherInitiator();
            var remote = other.context()
                    .importSegment(pair.home().segment(4096, Access.READ_WRITE).shared());
            var posted = new AtomicLong();
            Callable<Void> poster = () -> {
                while (true) { // until refused: the close below ends it
                    other.queue().jfs().write(remote, 0, other.queue().scratch(), 0, 64, 0);
                    other.queue().jfc().poll(new CompletionBatch(8));
                    posted.incrementAndGet();
                }
            };
            assertEndsAsClosed(poster, () -> {
                Patience.await("first posts", () -> posted.get() > 100);
                other.context().close();
            });
        }
    }

    /** Runs {@code work} in two threads, then {@code close}; both must end with EINVAL "closed". */
    private static void assertEndsAsClosed(Callable<Void> work, Runnable close) throws Exception {
        try (var threads = Executors.newFixedThreadPool(2)) {
            List<Future<Void>> futures = new ArrayList<>();
            futures.add(threads.submit(work));
            futures.add(threads.submit(work));
            close.run();
            for (Future<Void> future : futures) {
                assertThatThrownBy(() -> future.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOf(UrmaException.class)
                        .hasMessageContaining("closed");
            }
        }
    }

    /** S4.2, S7.3: memory that is closed while other threads write from it ends their writes, not the process. */
    @Rule({"S4.2", "S7.3"})
    @Test
    void memoryThatIsClosedUnderWritesEndsThemAlone() throws Exception {
        var imported = pair.imported(64 * 1024);
        for (int round = 0; round < ROUNDS; round++) {
            var context = pair.initiator().context();
            var memory = context.allocate(64 * 1024);
            var local = context.register(memory, Access.LOCAL_ONLY);
            assertPostersEnd(
                    queue -> queue.jfs().write(imported.remote(), 0, local, 0, 64 * 1024, 0),
                    () -> closeWhenPossible(local, memory));
        }
    }

    /** S4.2: an import that is closed while other threads use it ends their operations, not the process. */
    @Rule("S4.2")
    @Test
    void importThatIsClosedUnderReadsEndsThemAlone() throws Exception {
        var segment = pair.home().segment(64 * 1024, Access.READ);
        for (int round = 0; round < ROUNDS; round++) {
            var remote = pair.initiator().context().importSegment(segment.shared());
            var local = pair.initiator().buffer(64 * 1024);
            assertPostersEnd(
                    queue -> queue.jfs().read(remote, 0, local, 0, 64 * 1024, 0), () -> closeWhenPossible(remote));
        }
    }

    private interface Post {
        boolean on(SendSide queue);
    }

    /** Two threads post and poll; each must end with EINVAL "closed", or see its queue in ERROR. */
    private void assertPostersEnd(Post post, Runnable close) throws Exception {
        var posted = new AtomicLong();
        try (var threads = Executors.newFixedThreadPool(2)) {
            List<Future<CompletionStatus>> posters = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                var queue = pair.initiator().queue(JfsConfig.DEFAULT);
                posters.add(threads.submit(() -> postUntilItFails(queue, post, posted)));
            }
            Patience.await("first posts", () -> posted.get() > 20);
            close.run();
            for (var poster : posters) {
                assertThat(poster.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isIn(
                                CompletionStatus.SUCCESS,
                                CompletionStatus.LOC_ACCESS_ERR,
                                CompletionStatus.REM_ACCESS_ABORT_ERR);
            }
        }
    }

    private static CompletionStatus postUntilItFails(SendSide queue, Post post, AtomicLong posted) {
        try {
            while (true) {
                post.on(queue);
                var outcome = queue.awaitCompletion();
                if (!outcome.isSuccess()) {
                    return outcome.status();
                }
                posted.incrementAndGet();
                // moments without unfinished work, also where an operation takes longer than to post it
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (UrmaException e) {
            assertThat(e).hasMessageContaining("closed");
            return CompletionStatus.SUCCESS; // refused, and nothing was in flight
        }
    }

    /** Closes one after the other; EAGAIN says that a write has it at this moment. */
    private static void closeWhenPossible(AutoCloseable... inOrder) {
        for (AutoCloseable closeable : inOrder) {
            Patience.await("the end of " + closeable, () -> {
                try {
                    closeable.close();
                    return true;
                } catch (UrmaException e) {
                    assertThat(e.status()).isEqualTo(UrmaStatus.EAGAIN);
                    return false;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    /** S4.2: several threads that close the same context all return, and it is closed once. */
    @Rule("S4.2")
    @Test
    void contextIsClosedFromSeveralThreads() throws Exception {
        var context = pair.anotherInitiator().context();
        try (var threads = Executors.newFixedThreadPool(4)) {
            List<Callable<Boolean>> closers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                closers.add(() -> {
                    context.close();
                    return true;
                });
            }
            for (Future<Boolean> closer : threads.invokeAll(closers, Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                assertThat(closer.get()).isTrue();
            }
        }
        assertRefused(UrmaStatus.EINVAL, () -> context.allocate(64)).hasMessageContaining("closed");
    }

    /** S4.3: unpolled records do not block a close. */
    @Rule("S4.3")
    @Test
    void unpolledRecordsDoNotHoldUpAClose() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);
        queue.postWrites(imported.remote(), 8);

        queue.jfs().close();
        queue.jfc().close();
    }

    /** S4.5: the id of a closed queue is not the next one that is given out. */
    @Rule("S4.5")
    @Test
    void idOfAClosedQueueIsNotGivenOutAtOnce() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        List<Integer> ids = new ArrayList<>();

        for (int i = 0; i < 100; i++) {
            try (var jfs = context.createJfs(jfc, JfsConfig.DEFAULT)) {
                ids.add(jfs.id());
            }
        }

        assertThat(ids).doesNotHaveDuplicates();
    }

    /** S4.5: the token id of a closed segment is not the next one that is given out. */
    @Rule("S4.5")
    @Test
    void tokenIdOfAClosedSegmentIsNotGivenOutAtOnce() {
        var context = pair.initiator().context();
        var memory = context.allocate(4096);
        List<Integer> ids = new ArrayList<>();

        for (int i = 0; i < 100; i++) {
            try (var segment = context.register(memory, Access.READ)) {
                ids.add(segment.tokenId());
            }
        }

        assertThat(ids).doesNotHaveDuplicates();
    }

    /** S4.1, S12.4: a closing home ends the operations of its importers there. */
    @Rule({"S4.1", "S12.4"})
    @Test
    void homeThatClosesEndsTheOperationsOfItsImporters() {
        assumeTrue(topology() != Topology.LOOPBACK, "the initiator is the home");
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue();
        queue.jfs().send(receiver.target(), queue.scratch(), 0, 8, 1); // waits for a receive

        pair.home().reopen();

        assertThat(queue.awaitCompletion().status())
                .isIn(CompletionStatus.ACK_TIMEOUT_ERR, CompletionStatus.REM_OPERATION_ERR);
        Patience.await("the revocation", () -> imported.remote().isRevoked());
        assertThat(pair.initiator()
                        .queue(JfsConfig.DEFAULT)
                        .write(imported.remote(), 0, queue.scratch(), 0, 8)
                        .status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S4.1: a close during all kinds of work takes no longer than the close timeout. */
    @Rule({"S4.1", "S12.6"})
    @Test
    void closeOfTheLibraryIsQuick() {
        var other = pair.anotherInitiator();
        other.context()
                .importSegment(pair.home().segment(1 << 20, Access.READ_WRITE).shared());
        long start = System.nanoTime();

        other.context().close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
}
