package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.AsyncEvent;
import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.ReceiveState;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.support.SpinLock;
import io.urma4j.tck.Patience;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S4.2: calls that found the object open, and reach the provider after its close. */
class ClosedQueuesTest {
    @TempDir
    private Path runtime;

    private final List<AsyncEvent> events = new CopyOnWriteArrayList<>();
    private ShmContext context;
    private ProviderJfc jfc;

    @BeforeEach
    void open() {
        context = new ShmContext(
                UrmaOptions.DEFAULT.withRuntimeDirectory(runtime),
                Eid.ofIpv4(0x7F00_0001),
                ContextOptions.DEFAULT,
                events::add);
        jfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
    }

    @AfterEach
    void close() throws Exception {
        context.close(Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
    }

    private static void assertAllSayClosed(ThrowingCallable... calls) {
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .hasMessageContaining("is closed")
                    .isInstanceOfSatisfying(
                            UrmaException.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        }
    }

    @Test
    void aClosedSendQueueNeitherMovesNorMakesARecord() {
        var queue = context.createSendQueue(JfsConfig.DEFAULT, jfc, null, null);
        long[] words = new long[CompletionRecord.WORDS];
        queue.close();

        assertAllSayClosed(
                () -> queue.modify(QueueState.ERROR),
                () -> queue.flush(words, 1),
                () -> queue.quiesce(Duration.ofSeconds(1)),
                queue::counters);
        assertThat(jfc.poll(words, 1)).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void aClosedReceiveQueueNeitherMovesNorRaisesAnEvent() {
        var queue = context.createReceiveQueue(JfrConfig.builder().build(), jfc);
        queue.close();

        assertAllSayClosed(() -> queue.modify(ReceiveState.RESET), () -> queue.rxThreshold(1), queue::counters);
        assertThat(queue.state()).isEqualTo(ReceiveState.ERROR);
        assertThat(events).isEmpty();
    }

    @Test
    void aClosedJfcHasNoCountersAndIsNotArmed() {
        jfc.close();

        assertAllSayClosed(jfc::counters, () -> jfc.rearm(false));
    }

    /** S5.7: a bind that found the Jetty open binds nothing. */
    @Test
    void aClosedJettyIsNotBound() throws Exception {
        var there = jetty();
        var target = context.importQueue(there.descriptor(), null, Duration.ofSeconds(20))
                .get(20, TimeUnit.SECONDS);
        var queue = jetty();
        queue.close();

        assertAllSayClosed(() -> queue.bind(target, Duration.ofSeconds(20)));

        var next = jetty();
        next.bind(target, Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
        assertThat(next.state()).isEqualTo(QueueState.READY);
        next.unbind(Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
    }

    /** S6.2: READY that was legal in SUSPENDED, and comes after the unbind. */
    @Test
    void anUnboundJettyIsReadyByBindAlone() {
        var queue = jetty();

        assertThatThrownBy(() -> queue.modify(QueueState.READY))
                .hasMessageContaining("from RESET to READY")
                .isInstanceOfSatisfying(
                        UrmaException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.EINVAL));
        assertThat(queue.state()).isEqualTo(QueueState.RESET);
    }

    /** S9.4: the thread that posts has found the gate open, and waits for the lock. A move to ERROR stands for the close. */
    @Test
    void aLongReadOfALockFreeQueueBeginsNoCopyAfterItsEnd() throws Exception {
        int lengthBytes = 1 << 20;
        ProviderMemory memory = context.allocate(lengthBytes, AllocOptions.DEFAULT);
        MemorySegment own = MemorySegment.ofArray(new byte[lengthBytes]);
        own.fill((byte) 0x5A);
        memory.segment().copyFrom(own);
        var local = segment(memory, Access.LOCAL_ONLY);
        var home = segment(context.allocate(lengthBytes, AllocOptions.DEFAULT), Access.READ);
        var wanted = new ImportRequest(home.descriptor(), Token.of(5), Access.READ, Duration.ofSeconds(20));
        var remote = context.importSegment(wanted).get(20, TimeUnit.SECONDS);
        var records = (ShmJfc) context.createJfc(new JfcConfig(64, true), () -> {});
        JfsConfig lockFree = JfsConfig.builder().lockFree(true).depth(16).build();
        var queue = (ShmSendQueue) context.createSendQueue(lockFree, records, null, null);
        SpinLock lock = records.records().lock();
        lock.acquire();
        Thread posting;
        try {
            posting = Thread.ofPlatform()
                    .start(() -> queue.read(remote, 0, local, 0, lengthBytes, 1, PostFlags.SIGNALLED_BIT));
            Patience.await("the post at the lock", () -> posting.getState() == Thread.State.TIMED_WAITING);

            queue.window().order().failures().fail();
        } finally {
            lock.release();
        }
        posting.join();

        assertThat(memory.segment().mismatch(own))
                .as("the first byte that moved")
                .isEqualTo(-1);
        queue.close();
    }

    private ProviderSegment segment(ProviderMemory memory, Access access) throws Exception {
        var request = new SegmentRequest(memory, null, access, TokenPolicy.PLAIN_TEXT, Token.of(5));
        return context.register(request).get(20, TimeUnit.SECONDS);
    }

    private ProviderSendQueue jetty() {
        JfrConfig receives = JfrConfig.builder()
                .mode(TransportMode.RC)
                .policy(TokenPolicy.NONE)
                .build();
        JfsConfig sends = JfsConfig.builder().mode(TransportMode.RC).build();
        return context.createSendQueue(sends, jfc, context.createReceiveQueue(receives, jfc), null);
    }
}
