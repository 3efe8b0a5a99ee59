package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** SEMANTICS §11: events, and the ways to wait for them. */
public abstract class EventsContract extends Contract {
    protected EventsContract(String device) {
        super(device);
    }

    /** A JFC with its events, and a queue that completes there. */
    private record Waiting(Jfce jfce, Jfc jfc, Jfs jfs, CompletionBatch batch, Initiator by) {
        static Waiting on(Initiator initiator) {
            var jfce = initiator.context().createJfce();
            var jfc = initiator.context().createJfc(JfcConfig.DEFAULT, jfce);
            var jfs = initiator.context().createJfs(jfc, JfsConfig.DEFAULT);
            return new Waiting(jfce, jfc, jfs, new CompletionBatch(1), initiator);
        }

        void write(RemoteSegment remote) {
            assertThat(jfs.write(remote, 0, by.queue().scratch(), 0, 8, 0)).isTrue();
        }

        /** Takes one record, if there is one. */
        int poll() {
            return jfc.poll(batch);
        }

        int pollAll() {
            int all = 0;
            for (int count = poll(); count > 0; count = poll()) {
                all += count;
            }
            return all;
        }

        /** The JFC that has something, or null. */
        @Nullable
        Jfc event() throws InterruptedException {
            return jfce.await(Duration.ZERO).orElse(null);
        }
    }

    private static long millis(Duration duration) {
        return duration.toMillis();
    }

    /**
     * S11.1: armed for solicited records, a JFC makes no event for a plain one, but does for a solicited one or an
     * error.
     */
    @Rule("S11.1")
    @Test
    void plainRecordMakesNoEventForWhoWantsSolicitedOnesAlone() throws Exception {
        var here = pair.initiator().context();
        var jfce = here.createJfce();
        var jfc = here.createJfc(JfcConfig.DEFAULT, jfce);
        var jfr = here.createJfr(jfc, JfrConfig.builder().build());
        var buffer = pair.initiator().buffer(4096);
        var sender = pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var shared = new SharedJetty(jfr.descriptor(), jfr.token());
        var received = new Poller(jfc);
        for (int i = 0; i < 3; i++) {
            jfr.receive(buffer, 0, 64, i);
        }

        jfc.rearm(true);
        sender.send(shared, new byte[8]);
        assertThat(jfce.await(Patience.WATCH)).as("of a plain record").isEmpty();
        assertThat(received.next().isSuccess()).isTrue();

        sender.sendSolicited(shared, new byte[8]);
        assertThat(jfce.await(Patience.LIMIT)).as("of a solicited record").contains(jfc);
        assertThat(received.next().isSuccess()).isTrue();

        jfc.rearm(true);
        sender.send(shared, new byte[65]);
        assertThat(jfce.await(Patience.LIMIT)).as("of an error").contains(jfc);
        assertThat(received.next().status()).isEqualTo(CompletionStatus.LOC_LEN_ERR);
        assertThat(jfce.await(Duration.ZERO)).as("one event for one arming").isEmpty();
    }

    /** S11.1: a success of a send queue is never solicited, a failure always; an existing record fires at once. */
    @Rule("S11.1")
    @Test
    void failureIsAnEventForWhoWantsSolicitedOnesAlone() throws Exception {
        var remote = pair.imported(4096).remote();
        var revoked = pair.importedAndRevoked(4096);
        var waiting = Waiting.on(pair.initiator());

        waiting.jfc().rearm(true);
        waiting.write(remote);
        assertThat(waiting.jfce().await(Patience.WATCH)).as("of a success").isEmpty();
        Optional<Jfc> fired = Optional.empty();
        while (fired.isEmpty()) { // once the record is there, unpolled
            waiting.jfc().rearm(true);
            fired = waiting.jfce().await(Patience.WATCH);
        }
        assertThat(fired).contains(waiting.jfc());
        Patience.await("the record", () -> waiting.poll() == 1);

        waiting.jfc().rearm(true);
        waiting.write(revoked);
        assertThat(waiting.jfce().await(Patience.LIMIT)).as("of a failure").contains(waiting.jfc());
    }

    /** S11.3: readable after an event, until nothing more is found; then not, until the next one. */
    @Rule("S11.3")
    @Test
    void channelIsReadableFromAnEventUntilAwaitFindsNothing() throws Exception {
        var waiting = Waiting.on(pair.initiator());
        var remote = pair.imported(4096).remote();
        try (Selector selector = Selector.open()) {
            var key = waiting.jfce().channel().register(selector, SelectionKey.OP_READ);
            for (int round = 0; round < 3; round++) {
                waiting.jfc().rearm(false);
                assertThat(selector.selectNow()).as("nothing has happened").isZero();

                waiting.write(remote);

                assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
                assertThat(key.isReadable()).isTrue();
                assertThat(waiting.event()).isEqualTo(waiting.jfc());
                selector.selectedKeys().clear();
                assertThat(selector.selectNow()).as("not asked to the end").isEqualTo(1);
                assertThat(waiting.event()).isNull();
                selector.selectedKeys().clear();
                assertThat(selector.selectNow()).as("asked to the end").isZero();
                Patience.await("the record behind the event", () -> waiting.poll() == 1);
            }
        }
    }

    /** S11.3: one channel, always the same, reports the events of several JFCs. */
    @Rule("S11.3")
    @Test
    void oneChannelTellsOfAllJfcs() throws Exception {
        var jfce = pair.initiator().context().createJfce();
        var jfcs = new ArrayList<Jfc>();
        for (int i = 0; i < 3; i++) {
            jfcs.add(pair.initiator().context().createJfc(JfcConfig.DEFAULT, jfce));
        }
        var remote = pair.imported(4096).remote();
        try (Selector selector = Selector.open()) {
            jfce.channel().register(selector, SelectionKey.OP_READ);
            for (Jfc jfc : jfcs) {
                jfc.rearm(false);
                var jfs = pair.initiator().context().createJfs(jfc, JfsConfig.DEFAULT);
                jfs.write(remote, 0, pair.initiator().queue().scratch(), 0, 8, 0);
            }
            var heard = new ArrayList<Jfc>();
            while (heard.size() < 3) {
                assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
                selector.selectedKeys().clear();
                jfce.await(Duration.ZERO).ifPresent(heard::add);
            }

            assertThat(heard).containsExactlyInAnyOrderElementsOf(jfcs);
            assertThat(jfce.channel()).isSameAs(jfce.channel());
        }
    }

    /** S11.3: a channel that is requested after the event is readable. */
    @Rule("S11.3")
    @Test
    void channelThatIsAskedForLateTellsOfWhatIsThere() throws Exception {
        var waiting = Waiting.on(pair.initiator());
        waiting.write(pair.imported(4096).remote());
        waiting.jfc().rearm(false);

        try (Selector selector = Selector.open()) {
            waiting.jfce().channel().register(selector, SelectionKey.OP_READ);

            assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
        }
    }

    /** S11.3: one selector of the JDK waits for sockets and for JFCEs, and reports each. */
    @Rule("S11.3")
    @Test
    void oneSelectorWaitsForSocketsAndEvents() throws Exception {
        var waiting = Waiting.on(pair.initiator());
        var remote = pair.imported(4096).remote();
        try (Selector selector = Selector.open();
                ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                SocketChannel accepted = server.accept()) {
            accepted.configureBlocking(false);
            var tcp = accepted.register(selector, SelectionKey.OP_READ);
            var urma = waiting.jfce().channel().register(selector, SelectionKey.OP_READ);
            for (int round = 0; round < 5; round++) {
                waiting.jfc().rearm(false);

                client.write(ByteBuffer.wrap(new byte[] {1}));
                assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
                assertThat(selector.selectedKeys()).containsExactly(tcp);
                accepted.read(ByteBuffer.allocate(8));
                selector.selectedKeys().clear();

                waiting.write(remote);
                assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
                assertThat(selector.selectedKeys()).containsExactly(urma);
                assertThat(waiting.event()).isEqualTo(waiting.jfc());
                assertThat(waiting.event()).isNull();
                selector.selectedKeys().clear();
                Patience.await("the record behind the event", () -> waiting.poll() == 1);
            }
        }
    }

    /** S11.3: messages that arrive while only a selector waits are reported. */
    @Rule({"S11.3", "S11.4"})
    @Test
    void selectorHearsEachMessage() throws Exception {
        var here = pair.initiator().context();
        var jfce = here.createJfce();
        var jfc = here.createJfc(JfcConfig.DEFAULT, jfce);
        var jfr = here.createJfr(jfc, JfrConfig.builder().build());
        var buffer = pair.initiator().buffer(4096);
        var sender = pair.home().jetty(JfsConfig.DEFAULT, JfrConfig.builder().build());
        var shared = new SharedJetty(jfr.descriptor(), jfr.token());
        var batch = new CompletionBatch(4);
        try (Selector selector = Selector.open()) {
            jfce.channel().register(selector, SelectionKey.OP_READ);
            for (int round = 0; round < 50; round++) {
                jfr.receive(buffer, 0, 64, round);
                jfc.rearm(false);
                var sending = Thread.ofVirtual().start(() -> sender.send(shared, new byte[] {1, 2, 3}));
                assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
                selector.selectedKeys().clear();
                assertThat(jfce.await(Duration.ZERO)).contains(jfc);
                assertThat(jfce.await(Duration.ZERO)).isEmpty();
                Patience.await("the record behind the event", () -> jfc.poll(batch) > 0);
                assertThat(sending.join(Patience.LIMIT)).isTrue();
                assertThat(batch.userContext(0)).isEqualTo(round);
            }
        }
    }

    /** S11.3: an event of a thread whose interrupt flag is set is reported, and the channel stays open. */
    @Rule("S11.3")
    @Test
    void eventOfAnInterruptedThreadIsTold() throws Exception {
        var waiting = Waiting.on(pair.initiator());
        var remote = pair.imported(4096).remote();
        try (Selector selector = Selector.open()) {
            waiting.jfce().channel().register(selector, SelectionKey.OP_READ);
            waiting.jfc().rearm(false);

            var poster = Thread.ofPlatform().start(() -> {
                Thread.currentThread().interrupt();
                waiting.write(remote);
            });

            assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
            poster.join();
            assertThat(waiting.jfce().channel().isOpen()).isTrue();
            assertThat(waiting.event()).isEqualTo(waiting.jfc());
        }
    }

    /** S11.3: a closed channel is replaced by a new one, and events in between are not lost. */
    @Rule("S11.3")
    @Test
    void channelThatWasClosedIsReplaced() throws Exception {
        var waiting = Waiting.on(pair.initiator());
        var remote = pair.imported(4096).remote();
        waiting.jfce().channel().close();
        waiting.jfc().rearm(false);
        waiting.write(remote);

        try (Selector selector = Selector.open()) {
            waiting.jfce().channel().register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(millis(Patience.LIMIT))).isEqualTo(1);
            assertThat(waiting.event()).isEqualTo(waiting.jfc());
        }
    }

    /** S11.3, S12.6: closing a JFCE wakes the selector that waits for its channel, whenever that begins to wait. */
    @Rule({"S11.3", "S12.6", "S4.2"})
    @Test
    void closeWakesTheSelectorThatWaits() throws Exception {
        for (int round = 0; round < 20; round++) {
            var jfce = pair.initiator().context().createJfce();
            var woken = new CountDownLatch(1);
            try (Selector selector = Selector.open();
                    var channel = jfce.channel()) {
                var key = channel.register(selector, SelectionKey.OP_READ);
                var selecting = Thread.ofVirtual().start(() -> {
                    try {
                        selector.select(millis(Patience.LIMIT));
                        woken.countDown();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });

                jfce.close();

                assertThat(selecting.join(Patience.LIMIT)).isTrue();
                assertThat(woken.getCount()).isZero();
                assertThat(key.isReadable()).isTrue();
                assertRefused(UrmaStatus.EINVAL, jfce::channel).hasMessageContaining("closed");
            }
        }
    }

    /** S11.3: a channel that no selector waits for is closed with its JFCE. */
    @Rule({"S11.3", "S4.2"})
    @Test
    void channelIsClosedWithItsJfce() {
        var jfce = pair.initiator().context().createJfce();
        var channel = jfce.channel();

        jfce.close();

        assertThat(channel.isOpen()).isFalse();
    }

    /** S11.3: a JFCE whose channel was never requested holds no descriptor. */
    @Rule("S11.3")
    @Test
    void channelCostsNothingWhenNotAskedFor() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "descriptors can be counted");
        long before = count(descriptors);
        for (int i = 0; i < 200; i++) {
            pair.initiator().context().createJfce();
        }

        assertThat(count(descriptors)).isLessThan(before + 200);
    }

    private static long count(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.count();
        }
    }

    /**
     * S11.1: "poll until empty, rearm, wait" receives everything in any order of posts and of the waiter's steps, by
     * await and by the channel. Every order of up to eight steps is tried.
     */
    @Rule({"S11.1", "S11.3"})
    @Test
    void noOrderOfStepsLosesAWakeUp() throws Exception {
        var remote = pair.imported(4096).remote();
        var waiting = Waiting.on(pair.initiator());
        try (Selector selector = Selector.open()) {
            waiting.jfce().channel().register(selector, SelectionKey.OP_READ);
            for (int order = 0; order < 1 << 8; order++) {
                var waiter = new SteppedWaiter(waiting, selector);
                int posts = Integer.bitCount(order);
                for (int step = 0; step < 8; step++) {
                    if ((order >>> step & 1) == 1) {
                        waiting.write(remote);
                    } else {
                        waiter.step();
                    }
                }
                waiter.hearAll(posts, order);
            }
        }
    }

    /** "Poll until empty, rearm, wait", a step at a time. */
    private static final class SteppedWaiter {
        private enum Next {
            POLL,
            REARM,
            WAIT
        }

        private final Waiting waiting;
        private final Selector selector;
        private Next next = Next.POLL;
        private int heard;

        SteppedWaiter(Waiting waiting, Selector selector) {
            this.waiting = waiting;
            this.selector = selector;
        }

        /** One step; one that would wait changes nothing. */
        void step() throws Exception {
            switch (next) {
                case POLL -> {
                    int count = waiting.poll();
                    heard += count;
                    next = count > 0 ? Next.POLL : Next.REARM;
                }
                case REARM -> {
                    waiting.jfc().rearm(false);
                    next = Next.WAIT;
                }
                case WAIT -> {
                    if (waiting.event() != null) {
                        next = Next.POLL;
                    }
                }
            }
        }

        void hearAll(int posts, int order) throws Exception {
            while (heard < posts) {
                if (next == Next.WAIT) {
                    assertThat(selector.select(millis(Patience.LIMIT)))
                            .as("wake-up in order " + Integer.toBinaryString(order) + ", heard " + heard)
                            .isEqualTo(1);
                    selector.selectedKeys().clear();
                    next = waiting.event() == null ? Next.WAIT : Next.POLL;
                } else {
                    step();
                }
            }
            while (waiting.event() != null) {
                // the rest of this order must not affect the next
            }
            selector.selectNow();
            selector.selectedKeys().clear();
        }
    }

    /** S11.1, S11.3: two threads at full speed, with random pauses: every record is reported. */
    @Rule({"S11.1", "S11.3"})
    @Test
    void noWakeUpIsLostBetweenThreads() throws Exception {
        int writes = 4_000;
        var remote = pair.imported(4096).remote();
        var waiting = Waiting.on(pair.initiator());
        RandomGenerator random = Seed.randomFor("pauses of a poster");
        var failure = new AtomicReference<@Nullable Throwable>();
        var poster = Thread.ofPlatform().unstarted(() -> {
            try {
                for (int i = 0; i < writes; i++) {
                    while (!waiting.jfs().write(remote, 0, waiting.by().queue().scratch(), 0, 8, i)) {
                        Thread.yield();
                    }
                    for (int spin = random.nextInt(1 << random.nextInt(12)); spin > 0; spin--) {
                        Thread.onSpinWait();
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        poster.start();
        int heard = 0;
        try (Selector selector = Selector.open()) {
            waiting.jfce().channel().register(selector, SelectionKey.OP_READ);
            while (heard < writes) {
                heard += waiting.pollAll();
                waiting.jfc().rearm(false);
                if (heard < writes) {
                    assertThat(selector.select(millis(Patience.LIMIT)))
                            .as("wake-up after " + heard + " of " + writes + " records; " + failure.get())
                            .isEqualTo(1);
                    selector.selectedKeys().clear();
                    while (waiting.event() != null) {
                        // until it finds nothing
                    }
                }
            }
        }
        poster.join();

        assertThat(failure.get()).isNull();
    }

    /** S11.4: virtual threads that wait, more than there are carriers, leave room for others, and can be interrupted. */
    @Rule({"S11.4", "S11.2"})
    @Test
    void waitingVirtualThreadFreesItsCarrier() throws Exception {
        int many = 16 * Runtime.getRuntime().availableProcessors();
        List<Thread> waiters = new ArrayList<>();
        var begun = new CountDownLatch(many);
        var interrupted = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            var jfce = pair.initiator().context().createJfce();
            waiters.add(Thread.ofVirtual().start(() -> {
                begun.countDown();
                try {
                    jfce.await(Duration.ofSeconds(-1));
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            }));
        }

        assertThat(begun.await(millis(Patience.LIMIT), TimeUnit.MILLISECONDS))
                .as("all of them run at once")
                .isTrue();
        assertThat(Thread.ofVirtual().start(() -> {}).join(Patience.LIMIT)).isTrue();
        waiters.forEach(Thread::interrupt);
        assertThat(interrupted.await(millis(Patience.LIMIT), TimeUnit.MILLISECONDS))
                .isTrue();
    }

    /** S11.2: an interrupt ends the wait with the flag set, before it and within it; the event waits for the next. */
    @Rule("S11.2")
    @Test
    void interruptEndsTheWaitWithItsFlagSetAndNothingLost() throws Exception {
        var remote = pair.imported(4096).remote();
        var waiting = Waiting.on(pair.initiator());
        var flags = new ArrayBlockingQueue<Boolean>(2);
        waiting.jfc().rearm(false);
        var waiter = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 2; i++) { // the second time it comes interrupted
                try {
                    waiting.jfce().await(Duration.ofSeconds(-1));
                } catch (InterruptedException e) {
                    flags.add(Thread.currentThread().isInterrupted());
                }
            }
        });
        Patience.await(
                "the wait",
                () -> waiter.getState() == Thread.State.WAITING || waiter.getState() == Thread.State.TIMED_WAITING);

        waiter.interrupt();

        assertThat(waiter.join(Patience.LIMIT)).isTrue();
        assertThat(flags).containsExactly(true, true);
        waiting.write(remote);
        assertThat(waiting.jfce().await(Patience.LIMIT)).contains(waiting.jfc());
        assertThat(waiting.event()).isNull();
        Patience.await("the record", () -> waiting.poll() == 1);

        waiting.jfc().rearm(false);
        waiting.write(remote);
        Thread.currentThread().interrupt();
        assertThatThrownBy(waiting::event).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(waiting.jfce().await(Patience.LIMIT))
                .as("the event that an interrupted thread did not take")
                .contains(waiting.jfc());
    }

    /** S11.4: a second of waiting takes a thread next to no time of a CPU. */
    @Rule("S11.4")
    @Test
    void waitingThreadCostsNoCpu() throws Exception {
        var threads = ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isCurrentThreadCpuTimeSupported(), "the time of a thread can be told");
        var waiting = Waiting.on(pair.initiator());
        waiting.jfc().rearm(false);
        var costNanos = new AtomicReference<@Nullable Long>();
        var waiter = Thread.ofPlatform().start(() -> {
            try {
                waiting.jfce().await(Duration.ofMillis(1)); // loads the classes before the measurement
                long before = threads.getCurrentThreadCpuTime();
                waiting.jfce().await(Duration.ofSeconds(1));
                costNanos.set(threads.getCurrentThreadCpuTime() - before);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(waiter.join(Patience.LIMIT)).isTrue();
        assertThat(costNanos.get())
                .as("nanoseconds of CPU for a second of waiting")
                .isNotNull()
                .isLessThan(Duration.ofMillis(100).toNanos());
    }

    /** S11.2, S4.2: a wait without an end ends when its JFCE is closed. */
    @Rule({"S11.2", "S4.2", "S12.6"})
    @Test
    void waitEndsWhenItsJfceIsClosed() throws Exception {
        var jfce = pair.initiator().context().createJfce();
        var refusal = new AtomicReference<@Nullable UrmaException>();
        var waiter = Thread.ofVirtual().start(() -> {
            try {
                jfce.await(Duration.ofSeconds(-1));
            } catch (UrmaException e) {
                refusal.set(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        jfce.close();

        assertThat(waiter.join(Patience.LIMIT)).isTrue();
        assertThat(refusal.get()).isNotNull().hasMessageContaining("closed");
    }

    /** S4.3: events can be counted and acknowledged; unacknowledged events do not block a close. */
    @Rule("S4.3")
    @Test
    void eventsNeedNoAcknowledgement() throws Exception {
        var remote = pair.imported(4096).remote();
        var waiting = Waiting.on(pair.initiator());
        for (int i = 0; i < 3; i++) {
            waiting.jfc().rearm(false);
            waiting.write(remote);
            assertThat(waiting.jfce().await(Patience.LIMIT)).contains(waiting.jfc());
            Patience.await("the record behind the event", () -> waiting.poll() == 1);
        }
        assertThat(waiting.jfc().unacknowledged()).isEqualTo(3);

        assertRefused(UrmaStatus.EINVAL, () -> waiting.jfc().ack(4)).hasMessageContaining("4");
        assertRefused(UrmaStatus.EINVAL, () -> waiting.jfc().ack(-1));
        assertThat(waiting.jfc().unacknowledged())
                .as("refused calls change nothing")
                .isEqualTo(3);
        waiting.jfc().ack(2);

        assertThat(waiting.jfc().unacknowledged()).isEqualTo(1);
        waiting.jfs().close();
        waiting.jfc().close();
        waiting.jfce().close();
        assertRefused(UrmaStatus.EINVAL, () -> waiting.jfc().ack(1)).hasMessageContaining("closed");
    }
}
