package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.PipeReader;
import io.urma4j.PipeWriter;
import io.urma4j.RemoteMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Sleeping readers of pipes, and their wake-ups; on any provider. */
public abstract class SleepingPipesContract extends Contract {
    private static final int SMALLEST = 4096;
    private static final int ASLEEP_AT = 64; // PipeLayout.ASLEEP_AT
    private static final int LINE_AT = 256 + SMALLEST; // PipeLayout.lineAt
    private static final int FIRST_WORD = 256;
    private static final int ROUNDS = Patience.amount(Boolean.getBoolean("urma.full") ? 20_000 : 500, 50);
    private static final Duration FOR_EVER = Duration.ofNanos(-1);

    protected SleepingPipesContract(String device) {
        super(device);
    }

    private UrmaContext here() {
        return pair.initiator().context();
    }

    private UrmaContext there() {
        Initiator end = topology() == Topology.LOOPBACK ? pair.initiator() : pair.anotherInitiator();
        return end.context();
    }

    private static MemorySegment number(long value) {
        return MemorySegment.ofArray(new long[] {value});
    }

    private static List<Long> numbers(PipeReader reader) {
        List<Long> numbers = new ArrayList<>();
        while (reader.poll(
                        (memory, offset, lengthBytes) ->
                                numbers.add(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)),
                        7)
                > 0) {}
        return numbers;
    }

    private static CompletableFuture<Boolean> awaiting(PipeReader reader, Duration timeout) {
        return CompletableFuture.supplyAsync(() -> await(reader, timeout), SleepingPipesContract::start);
    }

    private static void start(Runnable task) {
        Thread _ = Thread.startVirtualThread(task);
    }

    private static boolean await(PipeReader reader, Duration timeout) {
        try {
            return reader.await(timeout);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Rule({"S8.13", "S13.2"})
    @Test
    void aMessageOfTheHomeWakesTheReader() throws Exception {
        try (PipeReader reader = here().openPipe()) {
            HomePipeWriter writer = pair.home().pipeTo(reader.share());
            for (byte i = 0; i < 3; i++) {
                CompletableFuture<Boolean> waiting = awaiting(reader, FOR_EVER);
                LockSupport.parkNanos(Patience.WATCH.toNanos());
                assertThat(waiting).isNotDone();
                writer.send(new byte[] {i, 0, 0, 0, 0, 0, 0, 0});
                assertThat(waiting.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(numbers(reader)).containsExactly((long) i);
            }
            CompletableFuture<Boolean> waiting = awaiting(reader, FOR_EVER);
            writer.close();
            assertThat(waiting.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(numbers(reader)).isEmpty();
            assertThat(reader.hasEnded()).isTrue();
            assertThat(reader.await(FOR_EVER)).as("at the end").isTrue();
        }
    }

    /** Sleeping and sending in all interleavings; each lost wake-up costs a second. */
    @Rule("S8.13")
    @Test
    void aReaderThatSleepsNowAndThenMissesNothing() throws Exception {
        SplittableRandom random = Seed.randomFor("sleeps");
        long seed = random.nextLong();
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share())) {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> sendWithPauses(writer, seed), SleepingPipesContract::start);
            List<Long> seen = new ArrayList<>();
            long begun = System.nanoTime();
            while (seen.size() < ROUNDS) {
                assertThat(reader.await(Patience.LIMIT))
                        .as("message %d", seen.size())
                        .isTrue();
                seen.addAll(numbers(reader));
            }
            sending.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(seen.get(i)).isEqualTo(i);
            }
            System.out.printf("SleepingPipes: %d messages in %d ms%n", ROUNDS, (System.nanoTime() - begun) / 1_000_000);
        }
    }

    private static void sendWithPauses(PipeWriter writer, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < ROUNDS; i++) {
            if (random.nextInt(3) == 0) {
                LockSupport.parkNanos(random.nextInt(100_000));
            }
            writer.send(number(i), Patience.LIMIT);
        }
    }

    /** A selector does not check by itself now and then: after a lost wake-up the message stays unread. */
    @Rule({"S8.13", "S11.3"})
    @Test
    void aSelectorWaitsForMessages() throws Exception {
        long seed = Seed.randomFor("selects").nextLong();
        try (PipeReader reader = there().openPipe(SMALLEST);
                Selector selector = Selector.open()) {
            reader.channel().register(selector, SelectionKey.OP_READ);
            assertThat(reader.channel()).isSameAs(reader.channel());
            CompletableFuture<Void> sending = CompletableFuture.runAsync(
                    () -> {
                        try (PipeWriter writer = here().openPipeTo(reader.share())) {
                            sendWithPauses(writer, seed);
                        }
                    },
                    SleepingPipesContract::start);
            List<Long> seen = new ArrayList<>();
            while (!reader.hasEnded()) {
                seen.addAll(numbers(reader));
                if (!reader.hasEnded() && !reader.await(Duration.ZERO)) {
                    int ready = selector.select(key -> {}, Patience.LIMIT.toMillis());
                    assertThat(ready)
                            .as("channels that are readable, after %d messages", seen.size())
                            .isEqualTo(1);
                }
            }
            sending.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(seen).hasSize(ROUNDS);
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(seen.get(i)).isEqualTo(i);
            }
        }
    }

    @Rule({"S8.13", "S12.6"})
    @Test
    void anAwaitEndsWithItsTime() throws Exception {
        try (PipeReader reader = there().openPipe(SMALLEST)) {
            assertThat(reader.await(Duration.ZERO)).isFalse();
            try (PipeWriter writer = here().openPipeTo(reader.share())) {
                long begun = System.nanoTime();
                assertThat(reader.await(Duration.ofMillis(30))).isFalse();
                assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(30_000_000);
                writer.send(number(4), Patience.LIMIT);
                assertThat(reader.await(Patience.LIMIT)).isTrue();
                assertThat(reader.await(Duration.ZERO)).as("it lies there").isTrue();
                assertThat(numbers(reader)).containsExactly(4L);
                assertThat(reader.await(Duration.ZERO)).isFalse();
            }
        }
    }

    @Rule({"S8.13", "S11.2"})
    @Test
    void anInterruptEndsAnAwaitAndLosesNothing() throws Exception {
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share())) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> reader.await(FOR_EVER)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            writer.send(number(5), Patience.LIMIT);
            assertThat(reader.await(Patience.LIMIT)).isTrue();
            assertThat(numbers(reader)).containsExactly(5L);
        }
    }

    @Rule({"S8.13", "S4.2"})
    @Test
    void aCloseEndsAnAwait() {
        PipeReader reader = there().openPipe(SMALLEST);
        CompletableFuture<Boolean> waiting = awaiting(reader, FOR_EVER);
        LockSupport.parkNanos(Patience.WATCH.toNanos());
        reader.close();
        assertThat(waiting)
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(UrmaException.class)
                .withMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, () -> await(reader, FOR_EVER)).hasMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, reader::channel).hasMessageContaining("is closed");
    }

    /** A close of the reader beside the thread that is about to sleep for the first time: both end, at whatever point. */
    @Rule({"S8.13", "S4.2"})
    @Test
    void aCloseBesideTheFirstAwaitEndsBoth() {
        for (int round = 0; round < 40; round++) {
            PipeReader reader = there().openPipe(SMALLEST);
            CompletableFuture<Boolean> waiting = awaiting(reader, FOR_EVER);
            LockSupport.parkNanos(round * 10_000L);
            reader.close();
            assertThat(waiting).failsWithin(Patience.LIMIT).withThrowableThat().withMessageContaining("is closed");
        }
    }

    /** A full pipe: the writer waits for room, the reader for the message that it has not been able to send. */
    @Rule({"S8.12", "S8.13"})
    @Test
    void aReaderThatSleepsHasSaidWhatItTook() throws Exception {
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share())) {
            for (int round = 0; round < 20; round++) {
                int sent = 0;
                while (writer.trySend(number(sent))) {
                    sent++;
                }
                int full = sent;
                for (int read = 0; read < full; read += reader.poll((memory, offset, lengthBytes) -> {}, 1)) {
                    assertThat(reader.await(Patience.LIMIT)).isTrue();
                }
                assertThat(reader.await(Duration.ZERO)).isFalse();
                writer.send(number(-1), Patience.LIMIT);
                assertThat(reader.await(Patience.LIMIT)).isTrue();
                assertThat(numbers(reader)).containsExactly(-1L);
            }
        }
    }

    @Rule({"S8.13", "S12.4"})
    @Test
    void deathOfTheWriterEndsAnAwait() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        try (PipeReader reader = here().openPipe()) {
            pair.home().pipeTo(reader.share()).send(new byte[8]);
            assertThat(reader.await(Patience.LIMIT)).isTrue();
            assertThat(numbers(reader)).containsExactly(0L);
            CompletableFuture<Boolean> waiting = awaiting(reader, FOR_EVER);
            processOfHome().kill();
            assertThat(waiting.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isFalse();
            assertThat(reader.isConnected()).isFalse();
            assertThat(reader.hasEnded()).isFalse();
        }
    }

    /** A wake-up that the reader did not take would end each select at once. */
    @Rule({"S8.13", "S12.4", "S11.3"})
    @Test
    void theChannelOfADeadWriterIsNotReadable() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        try (PipeReader reader = here().openPipe();
                Selector selector = Selector.open()) {
            reader.channel().register(selector, SelectionKey.OP_READ);
            HomePipeWriter writer = pair.home().pipeTo(reader.share());
            assertThat(reader.await(Duration.ZERO)).isFalse();
            writer.send(new byte[8]);
            assertThat(selector.select(key -> {}, Patience.LIMIT.toMillis())).isEqualTo(1);
            assertThat(numbers(reader)).containsExactly(0L);

            processOfHome().kill();
            Patience.await("the death of the writer", () -> !reader.isConnected());

            assertThat(reader.await(Duration.ZERO)).isFalse();
            assertThat(selector.select(key -> {}, Patience.WATCH.toMillis()))
                    .as("channels that are readable")
                    .isZero();
        }
    }

    /** No request of a reader stops the sender. */
    @Rule({"S8.13", "S12.4"})
    @Test
    void aReaderThatAsksForWakeUpsWithoutEndHoldsUpNoSender() {
        for (String line : new String[] {"", "urma4j:nothing", "x".repeat(999)}) {
            try (PipeReader reader = there().openPipe(SMALLEST);
                    RemoteMemory memory = here().importMemory(reader.share());
                    PipeWriter writer = here().openPipeTo(reader.share())) {
                memory.writeLong(LINE_AT, line.isEmpty() ? Long.MAX_VALUE : line.length());
                memory.write(LINE_AT + Long.BYTES, line.getBytes(StandardCharsets.US_ASCII));
                long begun = System.nanoTime();
                List<Long> seen = new ArrayList<>();
                for (long i = 0; i < 1000; i++) {
                    memory.writeLong(ASLEEP_AT, -1);
                    writer.send(number(i), Patience.LIMIT);
                    seen.addAll(numbers(reader));
                }
                Patience.await("all messages", () -> {
                    seen.addAll(numbers(reader));
                    return seen.size() == 1000;
                });
                assertThat(System.nanoTime() - begun).isLessThan(Patience.LIMIT.toNanos());
            }
        }
    }

    /** A writer that wakes its reader endlessly, or breaks the pipe, does not keep it from reading. */
    @Rule({"S8.13", "S12.4"})
    @Test
    void aBrokenPipeEndsAnAwait() throws Exception {
        try (PipeReader reader = there().openPipe(SMALLEST);
                RemoteMemory memory = here().importMemory(reader.share())) {
            assertThat(reader.await(Duration.ZERO)).isFalse();
            memory.writeLong(FIRST_WORD, -1);
            assertThat(reader.await(Patience.LIMIT)).isTrue();
            assertRefused(UrmaStatus.FAIL, () -> numbers(reader)).hasMessageContaining("broke the protocol");
        }
    }

    /** With room for the carrier alone, a virtual thread that sleeps lets others run. */
    @Rule({"S8.13", "S11.4"})
    @Test
    void manyVirtualThreadsSleepAtOnce() {
        int readers = 64; // more than carriers
        List<PipeReader> all = new ArrayList<>();
        List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        try {
            for (int i = 0; i < readers; i++) {
                PipeReader reader = there().openPipe(SMALLEST);
                all.add(reader);
                waiting.add(awaiting(reader, FOR_EVER));
            }
            AtomicBoolean ran = new AtomicBoolean();
            start(() -> ran.set(true));
            Patience.await("another virtual thread", ran::get);
            for (int i = 0; i < readers; i++) {
                try (PipeWriter writer = here().openPipeTo(all.get(i).share())) {
                    writer.send(number(i), Patience.LIMIT);
                    assertThat(waiting.get(i)).succeedsWithin(Patience.LIMIT).isEqualTo(true);
                }
            }
        } finally {
            all.forEach(PipeReader::close);
        }
    }
}
