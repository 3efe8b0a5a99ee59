package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.PipeReader;
import io.urma4j.PipeWriter;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The end of a pipe, during any call of its sending thread while another one closes it; on any provider. */
@EndsWithin(seconds = 3600) // also for many more closes, each of which has a limit of its own
public abstract class PipeEndsContract extends Contract {
    /** In each topology, of which there are three within a process. */
    private static final int CLOSES =
            Integer.getInteger("urma.closes", Boolean.getBoolean("urma.full") ? 4_000 : Patience.amount(100, 30));

    private static final int SMALLEST = 4096;
    private static final int LONGEST_DELAY = 10_000; // spins before a close: some 100 µs

    protected PipeEndsContract(String device) {
        super(device);
    }

    private UrmaContext writing() {
        return pair.initiator().context();
    }

    private UrmaContext reading() {
        Initiator end = topology() == Topology.LOOPBACK ? pair.initiator() : pair.anotherInitiator();
        return end.context();
    }

    @Rule({"S8.12", "S4.2"})
    @Test
    void aCloseWhileAnotherThreadSendsEndsThePipe() throws Exception {
        SplittableRandom random = Seed.randomFor("closes");
        UrmaContext reading = reading();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < CLOSES; i++) {
                try (PipeReader reader = reading.openPipe(SMALLEST)) {
                    closeWhileSending(i, reader, threads, random);
                }
            }
        }
    }

    private void closeWhileSending(int number, PipeReader reader, ExecutorService threads, SplittableRandom random)
            throws Exception {
        PipeWriter writer = writing().openPipeTo(reader.share());
        int lengthBytes = random.nextBoolean() ? 1024 : 8;
        boolean isRead = random.nextInt(4) > 0; // else the pipe is full, and the sender waits for room
        int delay = random.nextInt(LONGEST_DELAY);
        AtomicLong begun = new AtomicLong();
        Future<Long> sending = threads.submit(() -> sendUntilClosed(writer, lengthBytes, begun));
        Future<?> closing = threads.submit(() -> closeAfter(delay, writer, begun));
        Numbers numbers = new Numbers();
        while (isRead && !closing.isDone()) {
            numbers.readFrom(reader);
        }
        closing.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        long sent = resultOf(sending);
        Patience.await("the end of pipe " + number, () -> {
            numbers.readFrom(reader);
            return reader.hasEnded();
        });
        assertThat(numbers.count).as("messages of pipe %d", number).isEqualTo(sent);
    }

    private static void closeAfter(int spins, PipeWriter writer, AtomicLong begun) {
        while (begun.get() == 0) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
        writer.close();
    }

    private static long resultOf(Future<Long> sending) throws Exception {
        try {
            return sending.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("the sending thread did not see its pipe closed", e.getCause());
        }
    }

    /** Returns how many it sent: a message that was begun arrives whole or not at all. */
    private static long sendUntilClosed(PipeWriter writer, int lengthBytes, AtomicLong begun) {
        byte[] message = new byte[lengthBytes];
        MemorySegment source = MemorySegment.ofArray(message);
        long sent = 0;
        try {
            while (true) {
                begun.lazySet(1);
                source.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, sent);
                source.set(ValueLayout.JAVA_LONG_UNALIGNED, lengthBytes - Long.BYTES, sent);
                if (writer.trySend(source)) {
                    sent++;
                }
            }
        } catch (UrmaException e) {
            if (e.status() != UrmaStatus.EINVAL || !e.reason().equals("is closed")) {
                throw e;
            }
            return sent;
        }
    }

    /** Reads messages, each of which is to begin and to end with its number. */
    private static final class Numbers {
        private long count;

        void readFrom(PipeReader reader) {
            reader.poll(this::check, 64);
        }

        private void check(MemorySegment memory, long offset, int lengthBytes) {
            assertThat(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)).isEqualTo(count);
            assertThat(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + lengthBytes - Long.BYTES))
                    .isEqualTo(count);
            count++;
        }
    }
}
