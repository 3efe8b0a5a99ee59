package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.HomeGoneException;
import io.urma4j.RemoteMemory;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The comfortable level, {@link RemoteMemory}: bytes by simple calls, on any provider. */
public abstract class RemoteMemoryContract extends Contract {
    private static final int MIB = 1 << 20;
    private static final long SIZE = 5 * MIB;

    protected RemoteMemoryContract(String device) {
        super(device);
    }

    private HomeSegment segment() {
        return pair.home().segment(SIZE, Access.READ_WRITE_ATOMIC);
    }

    private RemoteMemory memory(HomeSegment segment) {
        return pair.initiator().context().importMemory(segment.shared().toLine());
    }

    /** Below, at and above the limits of inline payloads and of the pieces that long transfers are cut into. */
    @Rule("S8.1")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 207, 208, 209, 4096, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 5})
    void whatIsWrittenIsReadBack(int length) {
        HomeSegment segment = segment();
        Payload payload = new Payload(length);
        byte[] bytes = payload.bytes(0, length);
        long offset = 4099; // no multiple of anything
        try (RemoteMemory memory = memory(segment)) {
            memory.write(offset, bytes);

            assertThat(segment.firstDifference(payload, offset, 0, length)).isEqualTo(-1);
            assertThat(segment.isZero(0, offset)).isTrue();
            assertThat(segment.isZero(offset + length, SIZE - offset - length)).isTrue();
            assertThat(memory.read(offset, length)).isEqualTo(bytes);
        }
    }

    @Rule("S8.1")
    @ParameterizedTest
    @ValueSource(ints = {8, 300, 2 * MIB + 1})
    void memoryOutsideTheHeapAndPartsOfArraysAreTaken(int length) {
        HomeSegment segment = segment();
        Payload payload = new Payload(7);
        try (RemoteMemory memory = memory(segment);
                Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(length);
            payload.fill(source, 0, 0, length);
            memory.write(0, source);
            MemorySegment destination = arena.allocate(length);
            memory.read(0, destination);
            assertThat(payload.firstDifference(destination, 0, 0, length)).isEqualTo(-1);

            byte[] framed = new byte[length + 2];
            memory.read(0, framed, 1, length);
            assertThat(framed[0] | framed[length + 1]).isZero();
            memory.write(SIZE - length, framed, 1, length);
            assertThat(segment.firstDifference(payload, SIZE - length, 0, length))
                    .isEqualTo(-1);
        }
    }

    @Rule("S8.7")
    @Test
    void wordsAndAtomicsGiveWhatWasThere() {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            memory.writeLong(64, 5);
            assertThat(memory.readLong(64)).isEqualTo(5);
            assertThat(memory.fetchAndAdd(64, 10)).isEqualTo(5);
            assertThat(memory.fetchAndSubtract(64, 3)).isEqualTo(15);
            assertThat(memory.compareAndSwap(64, 99, 1)).isEqualTo(12);
            assertThat(memory.compareAndSwap(64, 12, 0b1100)).isEqualTo(12);
            assertThat(memory.fetchAndOr(64, 0b0011)).isEqualTo(0b1100);
            assertThat(memory.fetchAndAnd(64, 0b0110)).isEqualTo(0b1111);
            assertThat(memory.fetchAndXor(64, 0b0101)).isEqualTo(0b0110);
            assertThat(memory.swap(64, -1)).isEqualTo(0b0011);
            assertThat(segment.word(64)).isEqualTo(-1);
            memory.writeLong(3, 0x0102030405060708L); // no multiple of 8: allowed, though not in one piece
            assertThat(memory.readLong(3)).isEqualTo(0x0102030405060708L);
        }
    }

    @Rule({"S8.7", "S8.10"})
    @Test
    void wordsAndAtomicsOfFourBytesLeaveTheirNeighboursAlone() {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            memory.writeLong(64, -1);
            memory.writeLong(72, -1);
            for (int at : new int[] {68, 72}) {
                memory.writeInt(at, 5);
                assertThat(memory.readInt(at)).isEqualTo(5);
                assertThat(memory.fetchAndAddInt(at, Integer.MAX_VALUE)).isEqualTo(5);
                assertThat(memory.fetchAndSubtractInt(at, -1)).isEqualTo(Integer.MIN_VALUE + 4);
                assertThat(memory.compareAndSwapInt(at, 99, 1)).isEqualTo(Integer.MIN_VALUE + 5);
                assertThat(memory.compareAndSwapInt(at, Integer.MIN_VALUE + 5, 0b1100))
                        .isEqualTo(Integer.MIN_VALUE + 5);
                assertThat(memory.fetchAndOrInt(at, 0b0011)).isEqualTo(0b1100);
                assertThat(memory.fetchAndAndInt(at, 0b0110)).isEqualTo(0b1111);
                assertThat(memory.fetchAndXorInt(at, 0b0101)).isEqualTo(0b0110);
                assertThat(memory.swapInt(at, -7)).isEqualTo(0b0011);
                assertThat(memory.readInt(at)).isEqualTo(-7);
            }
            assertThat(memory.readInt(64)).isEqualTo(-1);
            assertThat(memory.readInt(76)).isEqualTo(-1);
            memory.writeInt(3, 0x01020304); // no multiple of 4: allowed, though not in one piece
            assertThat(memory.readInt(3)).isEqualTo(0x01020304);
            assertRefused(UrmaStatus.EINVAL, () -> memory.swapInt(66, 1))
                    .hasMessageContaining("offset 66 of an atomic is not a multiple of its size 4");
            assertRefused(UrmaStatus.EINVAL, () -> memory.readInt(SIZE - 3)).hasMessageContaining("length 4");
            assertRefused(UrmaStatus.EINVAL, () -> memory.writeInt(-4, 1)).hasMessageContaining("length 4");
            assertThat(memory.compareAndSwapIntAsync(68, -7, 0).join()).isEqualTo(-7);
            assertThat(memory.swapIntAsync(68, 0b1100).join()).isZero();
            assertThat(memory.fetchAndAddIntAsync(68, 1).join()).isEqualTo(0b1100);
            assertThat(memory.fetchAndSubtractIntAsync(68, 3).join()).isEqualTo(0b1101);
            assertThat(memory.fetchAndAndIntAsync(68, 0b0110).join()).isEqualTo(0b1010);
            assertThat(memory.fetchAndOrIntAsync(68, 0b0101).join()).isEqualTo(0b0010);
            assertThat(memory.fetchAndXorIntAsync(68, 0b0001).join()).isEqualTo(0b0111);
            assertThat(memory.readInt(68)).isEqualTo(0b0110);
        }
    }

    /** A stopped home does not answer; where its memory is mapped, no call needs an answer. */
    @Rule({"S8.14", "S12.6"})
    @Test
    void aTimeoutEndsACallThatItsHomeDoesNotAnswer() {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            memory.writeLong(0, 5);
            RemoteMemory hasty = memory.withTimeout(Duration.ofMillis(50));
            RemoteMemory slow = hasty.withTimeout(Patience.LIMIT);
            assertThat(slow.readLong(0)).isEqualTo(5);
            for (Duration timeout : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
                assertRefused(UrmaStatus.EINVAL, () -> memory.withTimeout(timeout))
                        .hasMessageContaining("timeout");
            }
            if (topology() == Topology.TWO_PROCESSES) {
                processOfHome().stop();
                try {
                    timesOut(hasty);
                } finally {
                    processOfHome().proceed();
                }
            }
            assertThat(slow.fetchAndAdd(0, 1)).isEqualTo(5);
            for (int i = 1; i < 1000; i++) { // a delayed answer must not count for a later call
                memory.writeLong(8L * i, i);
                assertThat(memory.readLong(8L * i)).isEqualTo(i);
            }
            assertThat(memory.readLong(0)).isEqualTo(6);
            hasty.close();
            assertRefused(UrmaStatus.EINVAL, () -> memory.readLong(0)).hasMessageContaining("is closed");
        }
    }

    private void timesOut(RemoteMemory hasty) {
        if (pair.device().attributes().capabilities().mappable()) {
            assertThat(hasty.readLong(0)).isEqualTo(5);
            return;
        }
        long begun = System.nanoTime();
        assertRefused(UrmaStatus.ETIMEOUT, () -> hasty.readLong(0))
                .hasMessageContaining("read of offset 0 + length 8 did not complete within PT0.05S");
        assertRefused(UrmaStatus.ETIMEOUT, () -> hasty.read(0, 2 * MIB)).hasMessageContaining("may still complete");
        assertThat(System.nanoTime() - begun).isBetween(100_000_000L, Patience.LIMIT.toNanos() / 2);
        for (int i = 0; i < 10; i++) {
            assertRefused(UrmaStatus.ETIMEOUT, () -> hasty.readLong(0));
        }
        assertThat(hasty.readAsync(0, 8)).failsWithin(Patience.LIMIT);
    }

    @Rule("S7.13")
    @Test
    void aPublishedNameOpensItToo() {
        HomeSegment segment = segment();
        segment.publish("orders");
        String kind = pair.device().attributes().provider();
        try (RemoteMemory memory = pair.initiator().context().importMemory(kind + ":orders")) {
            assertThat(memory.lengthBytes()).isEqualTo(SIZE);
            memory.writeLong(8, 77);
            assertThat(segment.word(8)).isEqualTo(77);
        }
        assertRefused(UrmaStatus.EINVAL, () -> pair.initiator().context().importMemory(kind + ":absent"));
    }

    @Rule("S7.6")
    @Test
    void aWrongTokenOpensNothing() {
        SharedSegment right = segment().shared();
        String line =
                new SharedSegment(right.descriptor(), Token.of(right.token().value() + 1)).toLine();
        assertRefused(UrmaStatus.ENOPERM, () -> pair.initiator().context().importMemory(line));
    }

    @Rule("S13.1")
    @Test
    void manyThreadsOfBothKindsAddExactly() throws InterruptedException {
        HomeSegment segment = segment();
        int threads = 24;
        int rounds = Patience.amount(200, 50);
        try (RemoteMemory memory = memory(segment)) {
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Runnable work = () -> IntStream.range(0, rounds).forEach(_ -> memory.fetchAndAdd(0, 3));
                workers.add(
                        i % 2 == 0
                                ? Thread.startVirtualThread(work)
                                : Thread.ofPlatform().start(work));
            }
            for (Thread worker : workers) {
                worker.join();
            }
            assertThat(memory.readLong(0)).isEqualTo(3L * threads * rounds);
            assertThat(segment.word(0)).isEqualTo(3L * threads * rounds);
        }
    }

    @Rule("S13.1")
    @Test
    void asynchronousCallsAllComplete() {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            var adds = LongStream.range(0, 100)
                    .mapToObj(_ -> memory.fetchAndAddAsync(0, 1))
                    .toList();
            assertThat(adds.stream().map(CompletableFuture::join))
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, 100).boxed().toList());
            byte[] bytes = new Payload(1).bytes(0, 2 * MIB);
            memory.writeAsync(4096, bytes).join();
            assertThat(memory.readAsync(4096, bytes.length).join()).isEqualTo(bytes);
            assertThat(memory.compareAndSwapAsync(0, 100, 0).join()).isEqualTo(100);
            assertThat(memory.swapAsync(0, 0b1100).join()).isZero();
            assertThat(memory.fetchAndSubtractAsync(0, 0b0010).join()).isEqualTo(0b1100);
            assertThat(memory.fetchAndAndAsync(0, 0b0110).join()).isEqualTo(0b1010);
            assertThat(memory.fetchAndOrAsync(0, 0b0101).join()).isEqualTo(0b0010);
            assertThat(memory.fetchAndXorAsync(0, 0b0001).join()).isEqualTo(0b0111);
            assertThat(memory.readLong(0)).isEqualTo(0b0110);
            CompletableFuture<byte[]> outside = memory.readAsync(SIZE, 1);
            assertThat(outside).failsWithin(Patience.LIMIT);
            assertThat(outside.exceptionNow()).isInstanceOf(UrmaException.class).hasMessageContaining("outside");
        }
    }

    @Rule({"S7.7", "S7.8"})
    @Test
    void aReadSegmentIsReadOnly() {
        HomeSegment segment = pair.home().segment(4096, Access.READ);
        segment.fill(new Payload(3));
        try (RemoteMemory memory = memory(segment)) {
            assertThat(memory.read(0, 4096)).isEqualTo(new Payload(3).bytes(0, 4096));
            assertRefused(UrmaStatus.ENOPERM, () -> memory.write(0, new byte[1]));
            assertRefused(UrmaStatus.ENOPERM, () -> memory.fetchAndAdd(0, 1));
            assertThat(segment.firstDifference(new Payload(3), 0, 0, 4096)).isEqualTo(-1);
        }
    }

    @Rule({"S7.9", "S7.14"})
    @Test
    void aRevokedSegmentIsToldEachTime() {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            memory.writeLong(0, 1);
            segment.unregister(Patience.LIMIT);
            for (int i = 0; i < 3; i++) {
                assertRefused(UrmaStatus.ENOPERM, () -> memory.writeLong(0, 2))
                        .isInstanceOf(HomeGoneException.class)
                        .hasMessageContaining("revoked the segment");
                assertRefused(UrmaStatus.ENOPERM, () -> memory.read(0, 2 * MIB)).isInstanceOf(HomeGoneException.class);
            }
            assertThat(segment.word(0)).isEqualTo(1);
        }
    }

    @Rule("S7.9")
    @Test
    void aRevocationUnderLoadEndsAllCallsWithARefusal() throws InterruptedException {
        HomeSegment segment = segment();
        Queue<Throwable> ends = new ConcurrentLinkedQueue<>();
        CountDownLatch started = new CountDownLatch(4);
        try (RemoteMemory memory = memory(segment)) {
            List<Thread> workers = IntStream.range(0, 4)
                    .mapToObj(i -> Thread.ofPlatform()
                            .start(() -> untilItFails(ends, () -> {
                                memory.write(0, new byte[i % 2 == 0 ? 3 * MIB : 100]);
                                started.countDown();
                            })))
                    .toList();
            started.await();
            segment.unregister(Patience.LIMIT);
            for (Thread worker : workers) {
                assertThat(worker.join(Patience.LIMIT)).as("a writer ended").isTrue();
            }
        }
        assertThat(ends)
                .hasSize(4)
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                UrmaException.class,
                                failure -> assertThat(failure.status())
                                        .as(failure.toString())
                                        .isEqualTo(UrmaStatus.ENOPERM)));
    }

    private static void untilItFails(Queue<Throwable> ends, Runnable call) {
        try {
            while (true) {
                call.run();
            }
        } catch (RuntimeException | Error e) {
            ends.add(e);
        }
    }

    @Rule("S8.10")
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void alignedPiecesDoNotTear(int length) throws InterruptedException {
        byte[] zeros = new byte[length];
        byte[] ones = new byte[length];
        Arrays.fill(ones, (byte) 1);
        int rounds = pair.device().attributes().capabilities().mappable() ? 20_000 : Patience.amount(1_000, 200);
        try (RemoteMemory memory = memory(segment())) {
            Thread writer = Thread.ofPlatform()
                    .start(() -> IntStream.range(0, rounds)
                            .forEach(i -> memory.write(4096 + 8, i % 2 == 0 ? ones : zeros, 0, length)));
            do {
                byte[] seen = memory.read(4096 + 8, length);
                assertThat(Arrays.equals(seen, zeros) || Arrays.equals(seen, ones))
                        .as(Arrays.toString(seen))
                        .isTrue();
            } while (writer.isAlive());
            writer.join();
        }
    }

    /** The thread was interrupted, and its arena closed, by another thread that ends its work. */
    @Rule("S13.1")
    @Test
    void anInterruptOutlivesTheRefusalOfAClosedArena() {
        Arena closed = Arena.ofShared();
        MemorySegment dead = closed.allocate(64);
        closed.close();
        try (RemoteMemory memory = memory(segment())) {
            Thread.currentThread().interrupt();
            assertRefused(UrmaStatus.EINVAL, () -> memory.write(0, dead)).hasMessageContaining("is closed");
            assertThat(Thread.interrupted()).as("after a write").isTrue();
            Thread.currentThread().interrupt();
            assertRefused(UrmaStatus.EINVAL, () -> memory.read(0, dead)).hasMessageContaining("is closed");
            assertThat(Thread.interrupted()).as("after a read").isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Rule("S13.1")
    @ParameterizedTest
    @ValueSource(ints = {8, 4096})
    void memoryOutOfReachIsRefused(int length) {
        HomeSegment segment = segment();
        Arena closed = Arena.ofConfined();
        MemorySegment dead = closed.allocate(length);
        closed.close();
        try (RemoteMemory memory = memory(segment);
                Arena confined = Arena.ofConfined()) {
            assertRefused(UrmaStatus.EINVAL, () -> memory.write(0, dead))
                    .hasMessageContaining("the arena of source is closed");
            assertRefused(UrmaStatus.EINVAL, () -> memory.read(0, dead))
                    .hasMessageContaining("the arena of destination is closed");
            MemorySegment another = confined.allocate(length);
            CompletableFuture<Void> elsewhere = memory.readAsync(0, another);
            assertThat(elsewhere).failsWithin(Patience.LIMIT);
            assertThat(elsewhere.exceptionNow()).hasMessageContaining("destination belongs to another thread");
            memory.read(0, another);
        }
        assertThat(segment.isZero(0, SIZE)).isTrue();
    }

    @Rule("S13.1")
    @Test
    void memoryThatItsOwnerClosesUnderACallEndsThatAlone() throws InterruptedException {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            for (int round = 0; round < 4; round++) {
                boolean writes = round % 2 == 0;
                Arena arena = Arena.ofShared();
                MemorySegment mine = arena.allocate(3 * MIB);
                Queue<Throwable> ends = new ConcurrentLinkedQueue<>();
                CountDownLatch started = new CountDownLatch(1);
                Thread user = Thread.ofPlatform()
                        .start(() -> untilItFails(ends, () -> {
                            if (writes) {
                                memory.write(0, mine);
                            } else {
                                memory.read(0, mine);
                            }
                            started.countDown();
                        }));
                started.await();
                arena.close();
                assertThat(user.join(Patience.LIMIT)).as("the call ended").isTrue();
                assertThat(ends)
                        .singleElement()
                        .satisfies(end -> assertThat(end)
                                .isInstanceOf(UrmaException.class)
                                .hasMessageContaining("the arena of")
                                .hasMessageContaining("(EINVAL)"));
            }
            memory.writeLong(0, 7);
            assertThat(segment.word(0)).isEqualTo(7);
        }
    }

    @Rule("S4.2")
    @Test
    void closingUnderLoadEndsAllCallsAsClosed() throws InterruptedException {
        for (int round = 0; round < 10; round++) {
            HomeSegment segment = segment();
            Queue<Throwable> ends = new ConcurrentLinkedQueue<>();
            CountDownLatch started = new CountDownLatch(4);
            RemoteMemory memory = memory(segment);
            List<Thread> workers = IntStream.range(0, 4)
                    .mapToObj(i -> Thread.ofVirtual()
                            .start(() -> untilItFails(ends, () -> {
                                if (i % 2 == 0) {
                                    memory.read(0, 2 * MIB);
                                } else {
                                    memory.fetchAndAdd(8, 1);
                                }
                                started.countDown();
                            })))
                    .toList();
            started.await();
            memory.close();
            for (Thread worker : workers) {
                assertThat(worker.join(Patience.LIMIT)).as("a reader ended").isTrue();
            }
            assertThat(ends)
                    .hasSize(4)
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOf(UrmaException.class)
                            .hasMessage(memory + ": is closed (EINVAL)"));
            segment.unregister(Duration.ofSeconds(5));
        }
    }

    @Rule({"S12.4", "S7.14"})
    @Test
    void aHomeThatIsGoneIsTold() {
        HomeSegment segment = segment();
        try (RemoteMemory memory = memory(segment)) {
            memory.writeLong(0, 1);
            if (topology() == Topology.TWO_PROCESSES) {
                processOfHome().kill();
            } else if (topology() == Topology.LOOPBACK) {
                segment.unregister(Patience.LIMIT);
            } else {
                pair.home().close();
            }
            Patience.await("the end of the home at the importer", memory.segment()::isRevoked);
            assertRefused(UrmaStatus.ENOPERM, () -> memory.writeLong(0, 2))
                    .isInstanceOfSatisfying(HomeGoneException.class, gone -> {
                        assertThat(gone.wasBegun()).isFalse();
                        assertThat(gone.completionStatus()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                    });
        }
    }
}
