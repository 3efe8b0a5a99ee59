package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §8: the exact effect of each operation. */
public abstract class WorkRequestsContract extends Contract {
    private static final int KB = 1024;
    private static final int MB = 1024 * KB;
    private static final long MARK = 0x1122_3344_5566_7788L;

    protected WorkRequestsContract(String device) {
        super(device);
    }

    /** S8.1: a write's bytes are in the home's memory when its record is there; its neighbours stay. */
    @Rule("S8.1")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 64, 65, 4095, 4096, 4097, 65536, MB, 64 * MB})
    void writePutsItsBytesThereAndNoOthers(int lengthBytes) {
        Patience.assumeCarried(lengthBytes);
        int offset = Seed.randomFor("write" + lengthBytes).nextInt(1, 100);
        var imported = pair.imported(lengthBytes + 200L);
        var payload = new Payload(Seed.OF_RUN);
        var source = pair.initiator().buffer(lengthBytes + 8L, payload);

        var outcome = pair.initiator().queue().write(imported.remote(), offset, source, 8, lengthBytes);

        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.WRITE, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(imported.home().firstDifference(payload, offset, 8, lengthBytes))
                .isEqualTo(-1);
        assertThat(imported.home().isZero(0, offset)).isTrue();
        assertThat(imported.home().isZero((long) offset + lengthBytes, 200 - offset))
                .isTrue();
    }

    /** S8.1: a read's bytes are in local memory when its record is there; its neighbours stay. */
    @Rule("S8.1")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 64, 65, 4095, 4096, 4097, 65536, MB, 64 * MB})
    void readBringsTheBytesAndNoOthers(int lengthBytes) {
        Patience.assumeCarried(lengthBytes);
        int offset = Seed.randomFor("read" + lengthBytes).nextInt(1, 100);
        var imported = pair.imported(lengthBytes + 200L, Access.READ);
        var payload = new Payload(Seed.OF_RUN + 1);
        imported.home().fill(payload);
        var destination = pair.initiator().buffer(lengthBytes + 100L);

        var outcome = pair.initiator().queue().read(imported.remote(), offset, destination, 50, lengthBytes);

        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.READ, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(payload.firstDifference(destination.memory(), 50, offset, lengthBytes))
                .isEqualTo(-1);
        assertThat(isZero(destination.memory(), 0, 50)).isTrue();
        assertThat(isZero(destination.memory(), 50L + lengthBytes, 50)).isTrue();
    }

    private static boolean isZero(MemorySegment memory, long offset, long lengthBytes) {
        return memory.asSlice(offset, lengthBytes).elements(JAVA_BYTE).allMatch(b -> b.get(JAVA_BYTE, 0) == 0);
    }

    /** S8.1: many writes of random place and size leave the memory as if executed one after the other. */
    @Rule({"S8.1", "S8.9"})
    @Test
    void randomWritesLeaveTheMemoryAsIfMadeInOrder() {
        var random = Seed.randomFor("random writes");
        int size = 16 * KB;
        var imported = pair.imported(size);
        var source = pair.initiator().buffer(size);
        byte[] expected = new byte[size];
        var queue = pair.initiator().queue();
        int rounds = Patience.amount(500, 100);

        for (int round = 0; round < rounds; round++) {
            int length = random.nextInt(random.nextBoolean() ? 64 : 4096);
            int from = random.nextInt(size - length);
            int to = random.nextInt(size - length);
            new Payload(round).fill(source.memory(), from, 0, length);
            assertThat(queue.write(imported.remote(), to, source, from, length).isSuccess())
                    .isTrue();
            MemorySegment.copy(source.memory(), JAVA_BYTE, from, expected, to, length);
        }

        assertThat(imported.home().get(0, size)).isEqualTo(expected);
    }

    /** S8.2: length 0 is legal for every opcode; the operation completes with length 0 and moves nothing. */
    @Rule("S8.2")
    @Test
    void zeroBytesAreALegalLength() {
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096);
        receiver.receive(2, 64, 0);
        var queue = pair.initiator().queue();
        var local = pair.initiator().buffer(64, new Payload(1));

        assertThat(queue.write(imported.remote(), 4096, local, 64, 0))
                .matches(Outcome::isSuccess)
                .returns(0L, Outcome::lengthBytes);
        assertThat(queue.read(imported.remote(), 0, local, 0, 0))
                .matches(Outcome::isSuccess)
                .returns(0L, Outcome::lengthBytes);
        assertThat(queue.send(receiver.target(), local, 0, 0)).matches(Outcome::isSuccess);
        queue.postAll(list(1, 1).send(receiver.target(), 1)); // no local range at all
        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);

        assertThat(receiver.queue().nextOnes(2)).allMatch(o -> o.isSuccess() && o.lengthBytes() == 0);
        assertThat(imported.home().isZero(0, 4096)).isTrue();
        assertThat(receiver.buffer().isZero(0, 4096)).isTrue();
        assertThat(new Payload(1).firstDifference(local.memory(), 0, 0, 64)).isEqualTo(-1);
    }

    /** S8.2: local ranges are gathered and scattered in order; those without length are skipped. */
    @Rule("S8.2")
    @Test
    void localRangesAreGatheredAndScatteredInOrder() {
        int sges = 16;
        var imported = pair.imported(64 * KB);
        var wide = pair.initiator().queue(JfsConfig.builder().maxSges(sges).build());
        var source = pair.initiator().buffer(64 * KB, new Payload(21));
        var destination = pair.initiator().buffer(64 * KB);
        var write = list(1, sges).write(imported.remote(), 100, 1);
        var read = list(1, sges).read(imported.remote(), 100, 2);
        long total = 0;
        for (int i = 0; i < sges; i++) {
            long length = i % 5 == 3 ? 0 : 1 + i * 37L;
            write.from(source, i * 4096L, length);
            read.into(destination, (sges - 1 - i) * 4096L, length);
            total += length;
        }

        wide.postAll(write);
        assertThat(wide.awaitCompletion()).matches(Outcome::isSuccess).returns(total, Outcome::lengthBytes);
        wide.postAll(read);
        assertThat(wide.awaitCompletion()).matches(Outcome::isSuccess).returns(total, Outcome::lengthBytes);

        long at = 100;
        for (int i = 0; i < sges; i++) {
            long length = i % 5 == 3 ? 0 : 1 + i * 37L;
            assertThat(imported.home().firstDifference(new Payload(21), at, i * 4096L, length))
                    .as("range " + i)
                    .isEqualTo(-1);
            assertThat(new Payload(21).firstDifference(destination.memory(), (sges - 1 - i) * 4096L, i * 4096L, length))
                    .as("range " + i)
                    .isEqualTo(-1);
            at += length;
        }
        assertThat(imported.home().isZero(at, 64 * KB - at)).isTrue();
    }

    /** S8.2: a message is gathered from its ranges, and scattered into the receive's, in order. */
    @Rule({"S8.2", "S10.3"})
    @Test
    void messageIsGatheredAndScatteredInOrder() {
        var receiver = pair.receiver(4096);
        receiver.queue().receiveScattered(receiver.buffer(), new long[] {1000, 10, 500, 0, 2000, 30, 0, 100}, 3);
        var source = pair.initiator().buffer(4096, new Payload(22));
        var queue = pair.initiator().queue();

        queue.postAll(list(1, 3)
                .send(receiver.target(), 1)
                .from(source, 0, 20)
                .from(source, 9, 0)
                .from(source, 20, 50));

        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        assertThat(receiver.queue().next()).returns(70L, Outcome::lengthBytes).returns(3L, Outcome::userContext);
        assertThat(receiver.buffer().firstDifference(new Payload(22), 1000, 0, 10))
                .isEqualTo(-1);
        assertThat(receiver.buffer().firstDifference(new Payload(22), 2000, 10, 30))
                .isEqualTo(-1);
        assertThat(receiver.buffer().firstDifference(new Payload(22), 0, 40, 30))
                .isEqualTo(-1);
        assertThat(receiver.buffer().isZero(30, 470)).isTrue();
    }

    /** S8.2: more ranges than the queue takes are refused. */
    @Rule("S8.2")
    @Test
    void moreRangesThanTheQueueTakesAreRefused() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue(JfsConfig.builder().maxSges(2).build());
        new Payload(1).fill(queue.scratch().memory(), 0, 0, 64);
        var list = list(1, 3).write(imported.remote(), 0, 1);
        for (int i = 0; i < 3; i++) {
            list.from(queue.scratch(), i * 8L, 8);
        }

        assertThat(queue.jfs().post(list)).isZero();

        assertThat(list.refusal()).hasValueSatisfying(r -> assertThat(r).hasMessageContaining("2"));
        assertThat(imported.home().isZero(0, 4096)).isTrue();
    }

    /** S8.3: an inline payload may lie on the heap, and may be changed as soon as the post returns. */
    @Rule({"S8.3", "S9.4"})
    @Test
    void inlinePayloadIsCopiedDuringThePost() {
        var imported = pair.imported(4096);
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue();
        byte[] payload = new Payload(23).bytes(0, 208);
        MemorySegment heap = MemorySegment.ofArray(payload);

        queue.postAll(list(2, 1)
                .write(imported.remote(), 1, 1)
                .inline(heap)
                .send(receiver.target(), 2)
                .inline(heap));
        Arrays.fill(payload, (byte) 0); // the message still waits for a receive
        receiver.receive(1, 256, 9);

        assertThat(queue.awaitCompletions(2)).allMatch(Outcome::isSuccess);
        assertThat(receiver.queue().next().lengthBytes()).isEqualTo(208);
        assertThat(imported.home().firstDifference(new Payload(23), 1, 0, 208)).isEqualTo(-1);
        assertThat(receiver.buffer().firstDifference(new Payload(23), 0, 0, 208))
                .isEqualTo(-1);
    }

    /** S8.3: an inline payload longer than the queue's limit is refused. */
    @Rule("S8.3")
    @Test
    void inlinePayloadBeyondTheLimitIsRefused() {
        var imported = pair.imported(4096);
        var queue =
                pair.initiator().queue(JfsConfig.builder().maxInlineBytes(32).build());
        var list = list(1, 1).write(imported.remote(), 0, 1).inline(MemorySegment.ofArray(new Payload(1).bytes(0, 33)));

        assertThat(queue.jfs().post(list)).isZero();

        assertThat(list.refusal())
                .hasValueSatisfying(
                        r -> assertThat(r).hasMessageContaining("33").hasMessageContaining("32"));
        assertThat(imported.home().isZero(0, 4096)).isTrue();
    }

    /** §8: WRITE_IMM places its bytes, then consumes a receive, whose buffers stay untouched. */
    @Rule({"S8.1", "S8.4", "S8.9"})
    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 0x1_0000_0000L, Long.MIN_VALUE, MARK})
    void writeWithImmediatePlacesBytesThenReports(long immediate) {
        var imported = pair.imported(64 * KB);
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 5);
        var source = pair.initiator().buffer(64 * KB, new Payload(24));
        var queue = pair.initiator().queue();

        queue.postAll(list(1, 1)
                .writeImmediate(receiver.target(), imported.remote(), 16, immediate, 8)
                .from(source, 0, 60 * KB));

        assertThat(receiver.queue().next())
                .returns(Opcode.WRITE_IMM, Outcome::opcode)
                .returns(5L, Outcome::userContext)
                .returns(60L * KB, Outcome::lengthBytes)
                .returns(OptionalLong.of(immediate), Outcome::immediate);
        assertThat(imported.home().firstDifference(new Payload(24), 16, 0, 60 * KB))
                .isEqualTo(-1);
        assertThat(receiver.buffer().isZero(0, 4096)).isTrue();
        assertThat(queue.awaitCompletion())
                .matches(Outcome::isSuccess)
                .returns(Opcode.WRITE_IMM, Outcome::opcode)
                .returns(8L, Outcome::userContext);
    }

    /** §8: a reader that sees the value of a WRITE_NOTIFY sees its bytes. */
    @Rule({"S8.1", "S8.9"})
    @Test
    void whoSeesTheNotificationSeesTheBytes() {
        var data = pair.imported(64 * KB);
        var flags = pair.imported(4096);
        var queue = pair.initiator().queue();

        for (int round = 1; round <= 200; round++) {
            var source = pair.initiator().buffer(4096, new Payload(round));
            queue.postAll(list(1, 1)
                    .writeNotify(data.remote(), 64, flags.remote(), 8, round, round)
                    .from(source, 0, 4096));
            flags.home().awaitWord(8, round);
            assertThat(data.home().firstDifference(new Payload(round), 64, 0, 4096))
                    .isEqualTo(-1);
            assertThat(queue.awaitCompletion())
                    .matches(Outcome::isSuccess)
                    .returns(Opcode.WRITE_NOTIFY, Outcome::opcode);
            source.close();
        }
        assertThat(flags.home().isZero(16, 4080)).isTrue();
    }

    /** §8: the same for a reader that watches for the value while the bytes are in flight. */
    @Rule({"S8.1", "S8.9"})
    @Test
    void whoWatchesForTheNotificationSeesTheBytes() throws Exception {
        int rounds = Patience.amount(30, 5);
        int length = Patience.amount(4 * MB, 256 * KB); // takes long enough to be seen half-way
        int tail = length - 4096;
        var data = pair.imported(length);
        var flags = pair.imported(4096);
        var queue = pair.initiator().queue();
        var source = pair.initiator().buffer(length);

        try (var watcher = Executors.newSingleThreadExecutor()) {
            for (int round = 1; round <= rounds; round++) {
                var payload = new Payload(round);
                int value = round;
                payload.fill(source.memory(), tail, 0, 4096);
                var seen = watcher.submit(() -> {
                    flags.home().awaitWord(8, value);
                    return data.home().firstDifference(payload, tail, 0, 4096);
                });
                queue.postAll(list(1, 1)
                        .writeNotify(data.remote(), 0, flags.remote(), 8, round, round)
                        .from(source, 0, length));
                assertThat(seen.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS)).isEqualTo(-1);
                assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
            }
        }
    }

    /** §8: the notification may lie behind the bytes, in the same segment. */
    @Rule("S8.1")
    @Test
    void notificationMayLieInTheSameSegment() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();
        var source = pair.initiator().buffer(64, new Payload(25));

        queue.postAll(list(1, 1)
                .writeNotify(imported.remote(), 0, imported.remote(), 64, MARK, 1)
                .from(source, 0, 64));

        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        imported.home().awaitWord(64, MARK);
        assertThat(imported.home().firstDifference(new Payload(25), 0, 0, 64)).isEqualTo(-1);
        assertThat(imported.home().isZero(72, 4000)).isTrue();
    }

    /** §8, S8.7: the result of each atomic on 8 bytes. */
    @Rule("S8.7")
    @ParameterizedTest
    @CsvSource({
        "SWAP, 0x1122334455667788, 5, 5",
        "FADD, 0x1122334455667788, 0x1000000000000000, 0x2122334455667788",
        "FADD, -1, 1, 0",
        "FSUB, 0, 1, -1",
        "FAND, 0x1122334455667788, 0xff00ff00ff, 0x4400660088",
        "FOR, 0x1122334455667788, 0xff00ff00ff, 0x112233ff55ff77ff",
        "FXOR, 0x1122334455667788, -1, -1234605616436508553"
    })
    void atomicOnEightBytes(Opcode opcode, String before, String operand, String after) {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        long was = Long.decode(before);
        imported.home().setWord(16, was);

        long old = pair.initiator().queue().atomic(opcode, imported.remote(), 16, 8, Long.decode(operand), 0);

        assertThat(old).isEqualTo(was);
        assertThat(imported.home().word(16)).isEqualTo(Long.decode(after));
        assertThat(imported.home().isZero(0, 16)).isTrue();
        assertThat(imported.home().isZero(24, 100)).isTrue();
    }

    /** §8, S8.7: on 4 bytes, the other 4 of the word are unchanged, in both places. */
    @Rule("S8.7")
    @ParameterizedTest
    @CsvSource({
        "SWAP, 0x11223344, 5, 5",
        "FADD, 0x11223344, 1, 0x11223345",
        "FADD, 0xffffffff, 1, 0",
        "FSUB, 0, 1, 0xffffffff",
        "FAND, 0x11223344, 0xff00ff, 0x220044",
        "FOR, 0x11223344, 0xff00ff, 0x11ff33ff",
        "FXOR, 0x11223344, 0xffffffff, 0xeeddccbb"
    })
    void atomicOnFourBytesLeavesItsNeighbours(Opcode opcode, String before, String operand, String after) {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        for (int offset : new int[] {16, 20}) {
            MemorySegment word = MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
            word.set(JAVA_INT_UNALIGNED, offset - 16, (int) (long) Long.decode(before));
            imported.home().put(16, word.toArray(JAVA_BYTE));

            long old = pair.initiator().queue().atomic(opcode, imported.remote(), offset, 4, Long.decode(operand), 0);

            word.set(JAVA_INT_UNALIGNED, offset - 16, (int) (long) Long.decode(after));
            assertThat(old).isEqualTo(Long.decode(before));
            assertThat(imported.home().get(16, 8)).isEqualTo(word.toArray(JAVA_BYTE));
            MemorySegment result = pair.initiator().queue().scratch().memory();
            assertThat(result.get(JAVA_INT, 4)).isEqualTo(0x5555_5555); // untouched
        }
    }

    /** §8, S8.7: CAS stores if the value is as expected, and returns the old value in both cases. */
    @Rule("S8.7")
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void compareAndSwapStoresOnlyWhenTheValueIsAsExpected(int sizeBytes) {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var queue = pair.initiator().queue();
        imported.home().setWord(8, 77);

        assertThat(queue.atomic(Opcode.CAS, imported.remote(), 8, sizeBytes, 99, 76))
                .isEqualTo(77);
        assertThat(imported.home().word(8)).isEqualTo(77);
        assertThat(queue.atomic(Opcode.CAS, imported.remote(), 8, sizeBytes, 99, 77))
                .isEqualTo(77);
        assertThat(imported.home().word(8)).isEqualTo(99);
    }

    /** S8.7: additions from several initiators and threads lose nothing, and return each value once. */
    @Rule("S8.7")
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void concurrentAdditionsLoseNothing(int sizeBytes) throws Exception {
        int adders = 4;
        int additions = Patience.amount(5000, 100);
        var segment = pair.home().segment(4096, Access.READ_WRITE_ATOMIC);
        List<Callable<List<Long>>> tasks = new ArrayList<>();
        for (int i = 0; i < adders; i++) {
            var initiator = i == 0 ? pair.initiator() : pair.anotherInitiator();
            var remote = initiator.context().importSegment(segment.shared());
            tasks.add(() -> {
                List<Long> seen = new ArrayList<>(additions);
                for (int n = 0; n < additions; n++) {
                    seen.add(initiator.queue().atomic(Opcode.FADD, remote, 64, sizeBytes, 1, 0));
                }
                return seen;
            });
        }

        List<Long> all = new ArrayList<>();
        try (var threads = Executors.newFixedThreadPool(adders)) {
            for (Future<List<Long>> seen : threads.invokeAll(tasks, Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                all.addAll(seen.get());
            }
        }

        assertThat(segment.word(64)).isEqualTo((long) adders * additions);
        assertThat(all.stream().mapToLong(Long::longValue).sorted().toArray())
                .isEqualTo(LongStream.range(0, (long) adders * additions).toArray());
    }

    /** S8.7: additions of the home itself and of an initiator, which may be two processes, lose nothing. */
    @Rule("S8.7")
    @Test
    void additionsFromBothEndsLoseNothing() throws Exception {
        int additions = Patience.amount(20_000, 100);
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        var loop = pair.home().importSegment(imported.home().shared());
        var queue = pair.initiator().queue();

        try (var thread = Executors.newSingleThreadExecutor()) {
            var there = thread.submit(() -> loop.addOnes(8, additions));
            for (int i = 0; i < additions; i++) {
                queue.atomic(Opcode.FADD, imported.remote(), 8, 8, 1, 0);
            }
            there.get(Patience.THREADS_SECONDS, TimeUnit.SECONDS);
        }

        assertThat(imported.home().word(8)).isEqualTo(2L * additions);
    }

    /** S8.7: a lock made of CAS keeps two initiators apart. */
    @Rule("S8.7")
    @Test
    void lockMadeOfCompareAndSwapKeepsInitiatorsApart() throws Exception {
        var segment = pair.home().segment(4096, Access.READ_WRITE_ATOMIC);
        int rounds = Patience.amount(300, 10);
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (var initiator : List.of(pair.initiator(), pair.anotherInitiator())) {
            var remote = initiator.context().importSegment(segment.shared());
            var queue = initiator.queue();
            var word = initiator.buffer(8);
            tasks.add(() -> {
                for (int i = 0; i < rounds; i++) {
                    while (queue.atomic(Opcode.CAS, remote, 0, 8, 1, 0) != 0) {
                        Thread.yield();
                    }
                    queue.read(remote, 64, word, 0, 8); // read, add, write: only safe under the lock
                    word.memory().set(JAVA_LONG, 0, word.memory().get(JAVA_LONG, 0) + 1);
                    queue.write(remote, 64, word, 0, 8);
                    queue.atomic(Opcode.SWAP, remote, 0, 8, 0, 0);
                }
                return true;
            });
        }

        try (var threads = Executors.newFixedThreadPool(2)) {
            for (Future<Boolean> done : threads.invokeAll(tasks, Patience.THREADS_SECONDS, TimeUnit.SECONDS)) {
                assertThat(done.get()).isTrue();
            }
        }

        assertThat(segment.word(64)).isEqualTo(2L * rounds);
    }

    /** §8: a message of any size arrives unchanged and in one piece. */
    @Rule({"S8.1", "S10.1"})
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 64, 208, 209, 4095, 4096, 65535, 65536, 65537, MB, 64 * MB})
    void messageArrivesAsItWasSent(int lengthBytes) {
        Patience.assumeCarried(lengthBytes);
        var receiver = pair.receiver(lengthBytes + 64L);
        receiver.queue().receive(receiver.buffer(), 16, lengthBytes, 31);
        var payload = new Payload(Seed.OF_RUN + 2);
        var source = pair.initiator().buffer(lengthBytes, payload);

        var outcome = pair.initiator().queue().send(receiver.target(), source, 0, lengthBytes);

        assertThat(outcome)
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.SEND, Outcome::opcode)
                .returns((long) lengthBytes, Outcome::lengthBytes);
        assertThat(receiver.queue().next())
                .returns(CompletionStatus.SUCCESS, Outcome::status)
                .returns(Opcode.SEND, Outcome::opcode)
                .returns(31L, Outcome::userContext)
                .returns((long) lengthBytes, Outcome::lengthBytes)
                .returns(OptionalLong.empty(), Outcome::immediate);
        assertThat(receiver.buffer().firstDifference(payload, 16, 0, lengthBytes))
                .isEqualTo(-1);
        assertThat(receiver.buffer().isZero(0, 16)).isTrue();
        assertThat(receiver.buffer().isZero(16L + lengthBytes, 48)).isTrue();
    }

    /** §8, S8.4: an immediate arrives with all its 64 bits. */
    @Rule("S8.4")
    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 0xFFFF_FFFFL, 0x1_0000_0000L, Long.MAX_VALUE, Long.MIN_VALUE, MARK})
    void immediateArrivesWithAllItsBits(long immediate) {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 1);
        var queue = pair.initiator().queue();
        new Payload(26).fill(queue.scratch().memory(), 0, 0, 16);

        assertThat(queue.jfs().sendImmediate(receiver.target(), queue.scratch(), 0, 16, immediate, 2))
                .isTrue();

        assertThat(receiver.queue().next())
                .returns(Opcode.SEND_IMM, Outcome::opcode)
                .returns(OptionalLong.of(immediate), Outcome::immediate)
                .returns(16L, Outcome::lengthBytes);
        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess).returns(Opcode.SEND_IMM, Outcome::opcode);
        assertThat(receiver.buffer().firstDifference(new Payload(26), 0, 0, 16)).isEqualTo(-1);
    }

    /** §8, S8.11: SEND_INVALIDATE revokes the sender's import before its record is visible. */
    @Rule("S8.11")
    @Test
    void sendInvalidateRevokesWhatTheSenderImported() {
        var imported = pair.imported(4096);
        var receiver =
                pair.receiver(4096, JfrConfig.builder().allowInvalidate(true).build());
        receiver.receive(1, 64, 1);
        var queue = pair.initiator().queue();
        int tokenId = imported.home().tokenId();

        assertThat(queue.jfs()
                        .send(
                                Opcode.SEND_INVALIDATE,
                                receiver.target(),
                                queue.scratch(),
                                0,
                                8,
                                tokenId,
                                3,
                                PostFlags.DEFAULT))
                .isTrue();

        assertThat(receiver.queue().next())
                .returns(Opcode.SEND_INVALIDATE, Outcome::opcode)
                .returns(OptionalLong.of(tokenId), Outcome::invalidatedTokenId)
                .returns(8L, Outcome::lengthBytes);
        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess);
        Patience.await("the revocation", () -> imported.remote().isRevoked());
        var other = pair.initiator().queue(JfsConfig.DEFAULT);
        assertThat(other.write(imported.remote(), 0, other.scratch(), 0, 8).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    /** S8.11: it revokes only imports of its sender, and only on a queue that allows it. */
    @Rule("S8.11")
    @ParameterizedTest
    @CsvSource({"true, false", "false, true", "false, false"})
    void sendInvalidateOfSomethingElseIsRefusedAndRevokesNothing(boolean allowed, boolean importedBySender) {
        var segment = pair.home().segment(4096, Access.READ_WRITE);
        var user = importedBySender ? pair.initiator() : pair.anotherInitiator();
        var remote = user.context().importSegment(segment.shared());
        var receiver =
                pair.receiver(4096, JfrConfig.builder().allowInvalidate(allowed).build());
        receiver.receive(1, 64, 1);
        var queue = pair.initiator().queue(JfsConfig.DEFAULT);

        queue.jfs()
                .send(
                        Opcode.SEND_INVALIDATE,
                        receiver.target(),
                        queue.scratch(),
                        0,
                        8,
                        segment.tokenId(),
                        3,
                        PostFlags.DEFAULT);

        assertThat(queue.awaitCompletion().status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(remote.isRevoked()).isFalse();
        new Payload(2).fill(user.queue().scratch().memory(), 0, 0, 8);
        assertThat(user.queue().write(remote, 0, user.queue().scratch(), 0, 8).isSuccess())
                .isTrue();
        assertThat(segment.firstDifference(new Payload(2), 0, 0, 8)).isEqualTo(-1);
    }

    /** §8: a NOP moves nothing, and completes after earlier work. */
    @Rule("S8.9")
    @Test
    void nopCompletesAfterWhatWasPostedBefore() {
        var imported = pair.imported(4096);
        var queue = pair.initiator().queue();

        queue.postAll(list(3, 1)
                .write(imported.remote(), 0, 1)
                .from(queue.scratch(), 0, 8)
                .nop(2)
                .read(imported.remote(), 0, 3)
                .into(queue.scratch(), 8, 8));

        assertThat(queue.awaitCompletions(3))
                .allMatch(Outcome::isSuccess)
                .extracting(Outcome::userContext)
                .containsExactly(1L, 2L, 3L);
    }

    /** S8.5: an unsignalled success makes no record; the record of the next signalled one implies it. */
    @Rule("S8.5")
    @Test
    void unsignalledSuccessMakesNoRecord() {
        var imported = pair.imported(64 * KB);
        var source = pair.initiator().buffer(64 * KB, new Payload(27));
        var queue = pair.initiator().queue();

        for (int i = 0; i < 10; i++) {
            queue.jfs().write(imported.remote(), i * 4096L, source, i * 4096L, 4096, i, PostFlags.UNSIGNALLED);
        }
        queue.jfs().write(imported.remote(), 40960, source, 40960, 4096, 10);

        assertThat(queue.awaitCompletion()).matches(Outcome::isSuccess).returns(10L, Outcome::userContext);
        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(imported.home().firstDifference(new Payload(27), 0, 0, 45056))
                .isEqualTo(-1);
    }

    /** S8.5, S10.2: an unsignalled failure makes a record. */
    @Rule({"S8.5", "S10.2"})
    @Test
    void unsignalledFailureMakesARecord() {
        var revoked = pair.importedAndRevoked(4096);
        var queue = pair.initiator().queue();

        queue.jfs().write(revoked, 0, queue.scratch(), 0, 8, 44, PostFlags.UNSIGNALLED);

        assertThat(queue.awaitCompletion())
                .returns(CompletionStatus.REM_ACCESS_ABORT_ERR, Outcome::status)
                .returns(44L, Outcome::userContext);
    }

    /** S8.5: an unsignalled message makes its receiver's record all the same. */
    @Rule({"S8.5", "S10.2"})
    @Test
    void unsignalledMessageIsReportedToItsReceiver() {
        var receiver = pair.receiver(4096);
        receiver.receive(1, 64, 1);
        var queue = pair.initiator().queue();

        queue.jfs().send(Opcode.SEND, receiver.target(), queue.scratch(), 0, 8, 0, 1, PostFlags.UNSIGNALLED);

        assertThat(receiver.queue().next().isSuccess()).isTrue();
        assertThat(queue.within(Patience.WATCH)).isEmpty();
    }

    /** S8.6: a fenced operation sees the results of earlier reads and atomics. */
    @Rule("S8.6")
    @Test
    void fencedOperationStartsAfterEarlierReadsAndAtomics() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        imported.home().setWord(0, MARK);
        var queue = pair.initiator().queue();
        LocalSegment word = pair.initiator().buffer(16);

        queue.jfs().read(imported.remote(), 0, word, 0, 8, 1);
        queue.jfs().fetchAndAdd(imported.remote(), 0, word, 8, 1, 2);
        queue.jfs().write(imported.remote(), 64, word, 0, 16, 3, PostFlags.DEFAULT.fenced());

        assertThat(queue.awaitCompletions(3)).extracting(Outcome::userContext).containsExactly(1L, 2L, 3L);
        assertThat(imported.home().word(64)).isEqualTo(MARK);
        assertThat(imported.home().word(72)).isEqualTo(MARK);
    }

    /** S8.6: a strong operation starts after relaxed and strong ones of any opcode. */
    @Rule("S8.6")
    @Test
    void strongOperationStartsAfterRelaxedAndStrongOnes() {
        var imported = pair.imported(4096, Access.READ_WRITE_ATOMIC);
        imported.home().setWord(0, MARK);
        var queue = pair.initiator().queue();
        LocalSegment word = pair.initiator().buffer(16);
        PostFlags relaxed = PostFlags.DEFAULT.relaxed();
        PostFlags strong = PostFlags.DEFAULT.strong();

        queue.jfs().read(imported.remote(), 0, word, 0, 8, 1, relaxed);
        queue.jfs().atomic(Opcode.FADD, imported.remote(), 0, word, 8, 8, 1, 0, 2, strong);
        queue.jfs().write(imported.remote(), 64, word, 0, 16, 3, strong);

        assertThat(queue.awaitCompletions(3)).extracting(Outcome::userContext).containsExactly(1L, 2L, 3L);
        assertThat(imported.home().word(64)).isEqualTo(MARK);
        assertThat(imported.home().word(72)).isEqualTo(MARK);
        assertThat(imported.home().word(0)).isEqualTo(MARK + 1);
    }

    /** S8.8: an RM message without a target is refused. */
    @Rule("S8.8")
    @Test
    void rmMessageWithoutTargetIsRefused() {
        var queue = pair.initiator().queue();

        assertRefused(UrmaStatus.EINVAL, () -> queue.jfs().send(null, queue.scratch(), 0, 8, 0))
                .hasMessageContaining("target");
        assertThat(queue.jfs().state()).isEqualTo(QueueState.READY);
    }

    /** S8.9: when a message arrives, the bytes of earlier writes from the same queue are there. */
    @Rule("S8.9")
    @Test
    void messageAfterAWriteMeansThatItsBytesAreThere() {
        var imported = pair.imported(64 * KB);
        var receiver = pair.receiver(4096);
        var queue = pair.initiator().queue();
        var source = pair.initiator().buffer(64 * KB);
        int rounds = Patience.amount(100, 20);

        for (int round = 0; round < rounds; round++) {
            new Payload(round).fill(source.memory(), 0, 0, 64 * KB);
            receiver.receive(1, 64, round);
            queue.jfs().write(imported.remote(), 0, source, 0, 64 * KB, 0, PostFlags.UNSIGNALLED);
            queue.jfs().send(receiver.target(), source, 0, 8, 1);

            assertThat(receiver.queue().next().userContext()).isEqualTo(round);
            assertThat(imported.home().firstDifference(new Payload(round), 0, 0, 64 * KB))
                    .isEqualTo(-1);
            assertThat(queue.awaitCompletion().isSuccess()).isTrue();
        }
    }

    /** S8.9: a write behind a message that waits does not overtake it. */
    @Rule("S8.9")
    @Test
    void writeDoesNotOvertakeAMessageToTheSameTarget() {
        var connection = pair.connection();
        var imported = pair.imported(4096);
        var queue = connection.queue();
        new Payload(5).fill(queue.scratch().memory(), 0, 0, 64);
        queue.jfs().send(null, queue.scratch(), 0, 8, 1); // waits for a receive
        queue.jfs().write(imported.remote(), 0, queue.scratch(), 0, 64, 2);

        assertThat(queue.within(Patience.WATCH)).isEmpty();
        assertThat(imported.home().isZero(0, 4096)).isTrue();

        var buffer = pair.home().segment(4096, Access.READ_WRITE);
        connection.there().receive(buffer, 0, 64, 0);
        assertThat(queue.awaitCompletions(2)).extracting(Outcome::userContext).containsExactly(1L, 2L);
        assertThat(imported.home().firstDifference(new Payload(5), 0, 0, 64)).isEqualTo(-1);
    }

    /** S8.9: messages of any size from a queue to one target arrive in order, each once. */
    @Rule({"S8.9", "S10.1"})
    @ParameterizedTest
    @EnumSource(
            value = TransportMode.class,
            names = {"RM", "RC"})
    void messagesArriveInOrderAndOnce(TransportMode mode) {
        int count = Patience.amount(400, 160);
        int slot = 20 * KB;
        var random = Seed.randomFor("message sizes");
        Pair.Receiver receiver;
        SendSide queue;
        if (mode == TransportMode.RM) {
            receiver = pair.receiver(32L * slot);
            queue = pair.initiator().queue();
        } else {
            var connection = pair.connection();
            receiver = new Pair.Receiver(
                    connection.there(),
                    pair.home().segment(32L * slot, Access.READ_WRITE),
                    pair.receiver(64).target());
            queue = connection.queue();
        }
        var target = mode == TransportMode.RM ? receiver.target() : null;
        var source = pair.initiator().buffer(64L * KB);

        for (int sent = 0; sent < count; sent += 16) {
            receiver.receive(16, slot, sent);
            var list = list(16, 1);
            long[] lengths = new long[16];
            for (int i = 0; i < 16; i++) {
                lengths[i] = random.nextInt(4) == 0 ? random.nextInt(slot) : random.nextInt(300);
                list.sendImmediate(target, sent + i, sent + i).from(source, 0, lengths[i]);
            }
            new Payload(sent).fill(source.memory(), 0, 0, slot);
            queue.postAll(list);
            var records = receiver.queue().nextOnes(16);
            for (int i = 0; i < 16; i++) {
                assertThat(records.get(i))
                        .returns((long) sent + i, Outcome::userContext)
                        .returns(OptionalLong.of(sent + i), Outcome::immediate)
                        .returns(lengths[i], Outcome::lengthBytes);
                assertThat(receiver.buffer().firstDifference(new Payload(sent), (long) i * slot, 0, lengths[i]))
                        .isEqualTo(-1);
            }
            assertThat(queue.awaitCompletions(16)).allMatch(Outcome::isSuccess);
        }
        assertThat(receiver.queue().within(Patience.WATCH)).isEmpty();
    }

    /** S8.10: aligned words do not tear, by any way of writing and reading. */
    @Rule("S8.10")
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void alignedWordsDoNotTear(int sizeBytes) throws Exception {
        var segment = pair.home().segment(4096, Access.READ_WRITE);
        var writer = pair.initiator();
        var reader = pair.anotherInitiator();
        var into = writer.context().importSegment(segment.shared());
        var outOf = reader.context().importSegment(segment.shared());
        var values = writer.buffer(16);
        boolean mappable = pair.device().attributes().capabilities().mappable();
        int writes = mappable ? 20_000 : Patience.amount(4_000, 100);
        values.memory().asSlice(8, 8).fill((byte) -1); // all zeros, all ones

        try (var threads = Executors.newSingleThreadExecutor()) {
            var done = threads.submit(() -> {
                for (int i = 0; i < writes; i++) {
                    writer.queue().write(into, 64, values, (i & 1) * 8L, sizeBytes);
                }
            });
            var word = reader.queue().scratch();
            while (!done.isDone()) {
                reader.queue().read(outOf, 64, word, 0, sizeBytes);
                byte[] bytes = word.memory().asSlice(0, sizeBytes).toArray(JAVA_BYTE);
                for (byte b : bytes) {
                    assertThat(b).as("a byte of " + Arrays.toString(bytes)).isEqualTo(bytes[0]);
                }
            }
            done.get();
        }
    }

    /** S8.1: one queue accesses its own context's memory and another's in the same way, without mixing them up. */
    @Rule("S8.1")
    @Test
    void segmentsDoNotMix() {
        var first = pair.imported(4096);
        var second = pair.imported(4096);
        var queue = pair.initiator().queue();
        var source = pair.initiator().buffer(4096, new Payload(28));

        assertThat(queue.write(first.remote(), 0, source, 0, 4096).isSuccess()).isTrue();

        assertThat(first.home().firstDifference(new Payload(28), 0, 0, 4096)).isEqualTo(-1);
        assertThat(second.home().isZero(0, 4096)).isTrue();
        assertThat(pair.initiator().context().events().poll())
                .as("events without a reason")
                .isNotPresent();
    }

    private static WorkRequestList list(int capacity, int maxSges) {
        return new WorkRequestList(capacity, maxSges);
    }
}
