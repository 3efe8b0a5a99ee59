package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.HomeGoneException;
import io.urma4j.PipeReader;
import io.urma4j.PipeWriter;
import io.urma4j.RemoteMemory;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipes, {@link PipeReader} and {@link PipeWriter}: messages through memory of the reader, on any provider. */
public abstract class PipesContract extends Contract {
    private static final int SMALLEST = 4096;
    private static final int FIRST_WORD = 256; // PipeLayout.FRAMES_AT

    protected PipesContract(String device) {
        super(device);
    }

    private UrmaContext here() {
        return pair.initiator().context();
    }

    /** Another context of this process. */
    private UrmaContext there() {
        Initiator end = topology() == Topology.LOOPBACK ? pair.initiator() : pair.anotherInitiator();
        return end.context();
    }

    private HomePipeReader reader(int capacityBytes) {
        return new LocalHomePipeReader(here().openPipe(capacityBytes));
    }

    private static MemorySegment number(long value) {
        return MemorySegment.ofArray(new long[] {value});
    }

    /** Reads what is there, each as a number. */
    private static List<Long> numbers(PipeReader reader) {
        List<Long> numbers = new ArrayList<>();
        int before;
        do {
            before = numbers.size();
            reader.poll(
                    (memory, offset, lengthBytes) -> numbers.add(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)),
                    7);
        } while (numbers.size() > before);
        return numbers;
    }

    private static void awaitNumber(PipeReader reader, long expected) {
        List<Long> seen = new ArrayList<>();
        Patience.await("a message", () -> seen.addAll(numbers(reader)));
        assertThat(seen).containsExactly(expected);
    }

    /** Around the ends of cache lines, and up to the longest. */
    @Rule({"S8.12", "S13.2"})
    @Test
    void messagesGoBothWaysBetweenInitiatorAndHome() {
        int capacity = 1 << 16;
        HomePipeReader home = pair.home().pipe(capacity);
        HomePipeReader mine = reader(capacity);
        HomePipeWriter back = pair.home().pipeTo(mine.share());
        try (PipeWriter writer = here().openPipeTo(home.share())) {
            assertThat(writer.maxMessageBytes()).isBetween(capacity / 2 - 1024, capacity / 2);
            for (int length : new int[] {0, 1, 8, 55, 56, 57, 63, 64, 65, 120, 128, 4096, writer.maxMessageBytes()}) {
                byte[] question = new Payload(length).bytes(0, length);
                writer.send(MemorySegment.ofArray(question), Patience.LIMIT);
                assertThat(home.next()).isEqualTo(question);
                byte[] answer = new Payload(-length).bytes(0, length);
                back.send(answer);
                assertThat(mine.next()).isEqualTo(answer);
            }
        }
        assertThat(home.ends()).isTrue();
    }

    @Rule("S8.15")
    @Test
    void aPipeIsFoundByItsName() {
        String name = "pipe-" + System.nanoTime();
        try (PipeReader reader = here().openPipe(SMALLEST)) {
            reader.publish(name);
            try (PipeWriter writer = there().openPipeTo("name:" + name)) {
                writer.send(number(7), Patience.LIMIT);
                awaitNumber(reader, 7);
            }
        }
    }

    @Rule("S8.12")
    @Test
    void aHandlerThatPollsGetsEachMessageOnce() {
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share())) {
            for (long i = 0; i < 4; i++) {
                writer.send(number(i), Patience.LIMIT);
            }
            List<Long> seen = new ArrayList<>();
            Patience.await("the first message, which is passed alone", () -> {
                reader.poll(
                        (memory, offset, lengthBytes) -> seen.add(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)),
                        1);
                return !seen.isEmpty();
            });
            Patience.await("all messages", () -> {
                reader.poll(
                        (memory, offset, lengthBytes) -> {
                            seen.add(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
                            seen.addAll(numbers(reader));
                        },
                        7);
                return seen.size() >= 4;
            });
            seen.addAll(numbers(reader));
            assertThat(seen).containsExactly(0L, 1L, 2L, 3L);
        }
    }

    /** Such a small pipe is full and wraps all the time. */
    @Rule("S8.12")
    @ParameterizedTest
    @ValueSource(ints = {SMALLEST, 1 << 14, 1 << 20})
    void messagesOfAllLengthsArriveInOrder(int capacity) {
        int count = pair.device().attributes().capabilities().mappable() ? 10_000 : Patience.amount(3_000, 300);
        HomePipeReader home = pair.home().pipe(capacity);
        HomePipeReader mine = reader(capacity);
        HomePipeWriter back = pair.home().pipeTo(mine.share());
        int longest = Math.min(8192, capacity / 2 - 320);
        long seed = Seed.randomFor("pipes").nextLong();
        PipeSeries series = new PipeSeries(seed, longest);
        PipeSeries others = new PipeSeries(~seed, longest);
        HomePipeWriter writer = new LocalHomePipeWriter(here().openPipeTo(home.share()));

        List<CompletableFuture<Void>> all = List.of(
                async(() -> writer.sendSeries(series, count)),
                async(() -> assertThat(home.firstWrong(series, count)).isEqualTo(-1)),
                async(() -> back.sendSeries(others, count)),
                async(() -> assertThat(mine.firstWrong(others, count))
                        .as("back, seed %d", seed)
                        .isEqualTo(-1)));
        Patience.await(
                "all messages",
                () -> all.stream().anyMatch(CompletableFuture::isCompletedExceptionally)
                        || all.stream().allMatch(CompletableFuture::isDone));
        all.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
        writer.close();
        assertThat(home.ends()).isTrue();
    }

    private static CompletableFuture<Void> async(Runnable call) {
        return CompletableFuture.runAsync(
                call, task -> Thread.ofPlatform().daemon().start(task));
    }

    @Rule("S8.12")
    @Test
    void aFullPipeTakesNothingUntilItIsRead() {
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share())) {
            long sent = 0;
            long read = 0;
            for (int round = 0; round < 10; round++) {
                long before = sent;
                while (writer.trySend(number(sent))) {
                    sent++;
                }
                long full = sent;
                assertThat(full - before).isBetween(20L, (long) SMALLEST / 64);
                assertRefused(UrmaStatus.ETIMEOUT, () -> writer.send(number(-1), Duration.ofMillis(5)));
                assertThat(writer.trySend(number(-1))).isFalse();

                List<Long> numbers = new ArrayList<>();
                Patience.await("all messages", () -> {
                    numbers.addAll(numbers(reader));
                    return numbers.size() >= full - before;
                });
                for (long number : numbers) {
                    assertThat(number).isEqualTo(read++);
                }
                assertThat(read).isEqualTo(sent);
            }
            assertThat(writer.counters().get("sent")).isEqualTo(sent);
            assertThat(reader.counters().get("received")).isEqualTo(sent);
        }
    }

    @Rule({"S8.12", "S12.6"})
    @Test
    void anInterruptEndsTheWaitForRoom() {
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share())) {
            long sent = 0;
            while (writer.trySend(number(sent))) {
                sent++;
            }
            Thread.currentThread().interrupt();
            assertRefused(UrmaStatus.EAGAIN, () -> writer.send(number(-1), Patience.LIMIT));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(numbers(reader)).hasSize((int) sent).doesNotContain(-1L);
        }
    }

    @Rule("S8.12")
    @Test
    void aPipeHasOneWriter() {
        try (PipeReader reader = there().openPipe()) {
            String line = reader.share();
            assertThat(reader.isConnected()).isFalse();
            PipeWriter first = here().openPipeTo(line);
            assertThat(reader.isConnected()).isTrue();
            assertRefused(UrmaStatus.EEXIST, () -> here().openPipeTo(line)).hasMessageContaining("writer");
            first.send(number(1), Patience.LIMIT);
            first.close();
            assertRefused(UrmaStatus.EEXIST, () -> here().openPipeTo(line));
            awaitNumber(reader, 1);
        }
    }

    @Rule("S8.12")
    @Test
    void whatIsNoPipeIsRefused() {
        String segment =
                pair.home().segment(1 << 16, Access.READ_WRITE_ATOMIC).shared().toLine();
        assertRefused(UrmaStatus.EINVAL, () -> here().openPipeTo(segment)).hasMessageContaining("is no pipe");
        String readOnly = pair.home().segment(1 << 16, Access.READ).shared().toLine();
        assertRefused(UrmaStatus.EINVAL, () -> here().openPipeTo(readOnly)).hasMessageContaining("is no pipe");
        try (PipeReader reader = there().openPipe()) {
            SharedSegment right = SharedSegment.parse(reader.share());
            String line =
                    new SharedSegment(right.descriptor(), Token.of(right.token().value() + 1)).toLine();
            assertRefused(UrmaStatus.ENOPERM, () -> here().openPipeTo(line));
        }
    }

    @Rule("S8.12")
    @Test
    void argumentsAreChecked() {
        for (int capacity : new int[] {0, -1, 64, 2048, 5000, 4097, Integer.MIN_VALUE}) {
            assertRefused(UrmaStatus.EINVAL, () -> here().openPipe(capacity)).hasMessageContaining("capacityBytes is");
        }
        try (PipeReader reader = there().openPipe(SMALLEST);
                PipeWriter writer = here().openPipeTo(reader.share());
                Arena arena = Arena.ofConfined()) {
            int longest = writer.maxMessageBytes();
            assertThat(reader.maxMessageBytes()).isEqualTo(longest);
            MemorySegment memory = arena.allocate(longest + 1L);
            assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(memory)).hasMessageContaining("" + longest);
            assertRefused(UrmaStatus.EINVAL, () -> writer.send(memory, Patience.LIMIT))
                    .hasMessageContaining("" + longest);
            assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(memory, longest, 2));
            assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(memory, -1, 2));
            assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(memory, 0, -1));
            assertThat(reader.poll((bytes, offset, lengthBytes) -> {}, 10)).isZero();
            assertThat(writer.trySend(memory, 1, longest)).isTrue();
        }
    }

    @Rule({"S8.12", "S4.2"})
    @Test
    void memoryOutOfReachIsRefused() {
        try (PipeReader reader = there().openPipe();
                PipeWriter writer = here().openPipeTo(reader.share())) {
            MemorySegment dead;
            try (Arena arena = Arena.ofConfined()) {
                dead = arena.allocate(8);
            }
            assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(dead)).hasMessageContaining("source");
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment confined = arena.allocate(8);
                assertThat(async(() -> assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(confined))
                                .hasMessageContaining("thread")))
                        .succeedsWithin(Patience.LIMIT);
            }
            writer.send(number(3), Patience.LIMIT);
            awaitNumber(reader, 3);
        }
    }

    /** The reader gets the pending messages before the end. */
    @Rule({"S8.12", "S4.2"})
    @Test
    void closeOfTheWriterEndsThePipe() {
        try (PipeReader reader = there().openPipe()) {
            PipeWriter writer = here().openPipeTo(reader.share());
            for (int i = 0; i < 3; i++) {
                writer.send(number(i), Patience.LIMIT);
            }
            writer.close();
            writer.close();
            assertRefused(UrmaStatus.EINVAL, () -> writer.trySend(number(4))).hasMessageContaining("is closed");
            assertThat(reader.hasEnded()).isFalse();
            List<Long> seen = new ArrayList<>();
            Patience.await("the end", () -> {
                seen.addAll(numbers(reader));
                return reader.hasEnded();
            });
            assertThat(seen).containsExactly(0L, 1L, 2L);
            Patience.await("the writer's leave", () -> !reader.isConnected());
        }
    }

    @Rule({"S8.12", "S4.2", "S7.14"})
    @Test
    void closeOfTheReaderFailsTheWriter() {
        PipeReader reader = there().openPipe(SMALLEST);
        PipeWriter writer = here().openPipeTo(reader.share());
        writer.send(number(1), Patience.LIMIT);
        reader.close();
        reader.close();
        assertRefused(UrmaStatus.EINVAL, reader::share).hasMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, () -> reader.poll((memory, offset, lengthBytes) -> {}, 1))
                .hasMessageContaining("is closed");
        awaitFailure(writer);
        writer.close();
    }

    /** The writer fails in time, and each later call fails, too. */
    private static void awaitFailure(PipeWriter writer) {
        for (int i = 0; i < 3; i++) {
            assertThat(catchThrowableOfType(UrmaException.class, () -> {
                        while (true) {
                            writer.send(number(2), Patience.LIMIT);
                        }
                    }))
                    .isInstanceOf(HomeGoneException.class)
                    .hasMessageContaining("send of 8 bytes")
                    .hasMessageContaining("its reader closed the pipe, or is gone")
                    .hasMessageNotContaining("offset");
        }
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Rule({"S8.12", "S12.4", "S12.6", "S7.14"})
    @Test
    void deathOfTheReaderFailsTheWriter() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        PipeWriter writer = here().openPipeTo(pair.home().pipe(SMALLEST).share());
        try (PipeReader others = there().openPipe();
                PipeWriter other = here().openPipeTo(others.share())) {
            writer.send(number(1), Patience.LIMIT);
            processOfHome().kill();
            awaitFailure(writer);
            writer.close();
            other.send(number(7), Patience.LIMIT);
            awaitNumber(others, 7);
        }
    }

    /** The reader gets the messages that have arrived; a network may lose the last ones of a dead writer. */
    @Rule({"S8.12", "S12.4", "S12.6"})
    @Test
    void deathOfTheWriterLeavesWholeMessages() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        PipeSeries series = new PipeSeries(3, 2000);
        List<byte[]> messages = new ArrayList<>();
        try (PipeReader reader = here().openPipe()) {
            PipeReader.Handler handler = (memory, offset, lengthBytes) ->
                    messages.add(memory.asSlice(offset, lengthBytes).toArray(ValueLayout.JAVA_BYTE));
            pair.home().pipeTo(reader.share()).sendSeries(series, 100);
            Patience.await("half of the messages", () -> {
                reader.poll(handler, 1);
                return messages.size() >= 50;
            });
            processOfHome().kill();
            Patience.await("news of the death", () -> !reader.isConnected());
            while (reader.poll(handler, 10) > 0) {
                assertThat(messages).hasSizeLessThanOrEqualTo(100);
            }
            assertThat(reader.hasEnded()).isFalse();
        }
        if (pair.device().attributes().capabilities().mappable()) {
            assertThat(messages).hasSize(100);
        }
        for (int i = 0; i < messages.size(); i++) {
            assertThat(messages.get(i)).as("message %d", i).isEqualTo(series.message(i));
        }
    }

    @Rule("S8.12")
    @Test
    void whatAHandlerThrowsComesOut() {
        try (PipeReader reader = there().openPipe();
                PipeWriter writer = here().openPipeTo(reader.share())) {
            for (int i = 0; i < 3; i++) {
                writer.send(number(i), Patience.LIMIT);
            }
            var thrown = new IllegalStateException("of the handler");
            assertThatThrownBy(() -> Patience.await(
                            "a message",
                            () -> reader.poll(
                                            (memory, offset, lengthBytes) -> {
                                                throw thrown;
                                            },
                                            5)
                                    > 0))
                    .isSameAs(thrown);
            assertThat(reader.counters().get("received")).isEqualTo(1);
            awaitNumber(reader, 1, 2);
        }
    }

    private static void awaitNumber(PipeReader reader, long first, long second) {
        List<Long> seen = new ArrayList<>();
        Patience.await("two messages", () -> {
            seen.addAll(numbers(reader));
            return seen.size() >= 2;
        });
        assertThat(seen).containsExactly(first, second);
    }

    /** A writer that breaks the protocol breaks its own pipe, and the reader reports only that. */
    @Rule({"S8.12", "S12.4"})
    @ParameterizedTest
    @ValueSource(
            longs = {
                0x2_0000_0000L, // a wrap at the start
                0x1_ffff_ffffL, // a negative length
                0x1_7fff_ffffL,
                0x1_0000_1000L, // longer than the pipe
                1,
                -1,
                0x4_0000_0000L
            })
    void aBrokenPipeSaysSo(long word) {
        try (PipeReader reader = there().openPipe(SMALLEST);
                RemoteMemory memory = here().importMemory(reader.share())) {
            memory.writeLong(FIRST_WORD, word);
            Patience.await("the word", () -> {
                try {
                    return reader.poll((bytes, offset, lengthBytes) -> {}, 5) > 0;
                } catch (UrmaException e) {
                    assertThat(e.status()).isEqualTo(UrmaStatus.FAIL);
                    assertThat(e)
                            .hasMessageContaining("broke the protocol")
                            .hasMessageContaining(Long.toHexString(word));
                    return true;
                }
            });
            assertRefused(UrmaStatus.FAIL, () -> reader.poll((bytes, offset, lengthBytes) -> {}, 5));
        }
    }

    /** A reader that breaks the protocol cannot make its writer overwrite unread messages. */
    @Rule({"S8.12", "S12.4"})
    @Test
    void aReaderThatTookMoreThanWasSentIsFoundOut() {
        try (PipeReader reader = there().openPipe(SMALLEST);
                RemoteMemory memory = here().importMemory(reader.share());
                PipeWriter writer = here().openPipeTo(reader.share())) {
            memory.writeLong(128, Long.MAX_VALUE); // PipeLayout.TAKEN_AT
            assertRefused(UrmaStatus.FAIL, () -> {
                        while (true) {
                            writer.send(number(1), Patience.LIMIT);
                        }
                    })
                    .hasMessageContaining("claims to have read");
        }
    }
}
