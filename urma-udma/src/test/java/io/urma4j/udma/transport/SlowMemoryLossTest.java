package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.transport.SlowMemory.Pace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A network that loses, doubles and reorders, before memory that answers later, in any order: what has succeeded is placed,
 * each operation ends once, each atomic is executed once, and every fragment comes back.
 */
class SlowMemoryLossTest {
    private static final int QUEUE = 0x100;
    private static final int TARGET = 0x200;
    private static final int OPERATIONS = 40;
    private static final int COUNTER = 8;
    private static final int WORDS = 1024;
    private static final int AREA = 1 << 18;
    private static final int STRIDE = 1 << 12;
    private static final int BUFFER_BYTES = 1 << 12;
    private static final int SEEDS = Integer.getInteger("urma.seeds", Boolean.getBoolean("urma.full") ? 1000 : 10);

    @ParameterizedTest
    @CsvSource({
        "RELIABLE_CONNECTED, SELECTIVE, 0",
        "RELIABLE_CONNECTED, SELECTIVE, 0.05",
        "RELIABLE_CONNECTED, SELECTIVE, 0.3",
        "RELIABLE_CONNECTED, GOING_BACK, 0.05",
        "RELIABLE_CONNECTED, FOREIGN, 0",
        "RELIABLE_CONNECTED, FOREIGN, 0.05",
        "SHARED, SELECTIVE, 0",
        "SHARED, SELECTIVE, 0.05",
        "SHARED, SELECTIVE, 0.3",
        "SHARED, GOING_BACK, 0.05"
    })
    void whatSucceedsIsPlacedAndEverythingEndsOnce(Kind kind, SlowMemoryTest.Peer peer, double loss) {
        long first = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("SlowMemoryLossTest: seed " + first + ", again with -Durma.seed=" + first);
        for (int i = 0; i < SEEDS; i++) {
            try {
                new Run(kind, peer, loss, first + i).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Durma.seeds=1 -Durma.seed=" + (first + i), e);
            }
        }
    }

    /** The run of one seed. */
    private static final class Run {
        private final Random random;
        private final Pair pair;
        private final SlowMemory slow;
        private final boolean isOurs;
        private final boolean isRevoked;
        private final boolean mayTimeOut;
        private final List<Load> loads = new ArrayList<>();

        Run(Kind kind, SlowMemoryTest.Peer peer, double loss, long seed) {
            random = new Random(seed);
            isOurs = peer.isOurs();
            int[] mtus = {256, 1024, 4096, 8192, 61_440};
            int mtu = mtus[random.nextInt(isOurs ? mtus.length : 3)];
            int reads = 1 + random.nextInt(16);
            boolean predicts = random.nextBoolean();
            long most = 1 + random.nextLong(random.nextBoolean() ? 200_000 : 30_000_000);
            double lostShare = random.nextInt(3) > 0 ? 0 : 0.02;
            int fragments = random.nextInt(3) > 0 ? 1024 : 2 + random.nextInt(20);
            isRevoked = random.nextInt(4) == 0;
            Pace pace = new Pace(random.nextLong(most), most, 1 + random.nextInt(4), fragments, lostShare);
            UnaryOperator<ConnectionConfig.Builder> adjusted = config -> peer.adjust(config.mtuBytes(mtu)
                    .reads(reads, reads)
                    .timeout(500_000_000L, 100)
                    .predicts(predicts));
            long jitterNanos = random.nextBoolean() ? 0 : 40_000;
            Pair.Faults faults = new Pair.Faults(loss, loss / 2, jitterNanos);
            pair = new Pair(kind, adjusted, faults, seed, pace);
            slow = Objects.requireNonNull(pair.right.slow);
            // refusals that overtake each other may cost one, whatever the memory does
            mayTimeOut = !isOurs || loss > 0 || jitterNanos > 0 || fragments < 1024 || lostShare > 0 || isRevoked;
            boolean isShared = kind == Kind.SHARED;
            for (int i = 0; i < (isShared ? 3 : 1); i++) {
                Outbox out = isShared ? pair.left.outbox(QUEUE + i, TARGET + i) : pair.left.outbox();
                Inbox in = isShared ? pair.right.inbox(TARGET + i, BUFFER_BYTES) : pair.right.inbox(BUFFER_BYTES);
                loads.add(new Load(pair, out, in, i, random));
            }
        }

        void run() {
            loads.forEach(load -> load.post(random, isOurs));
            long revokeAt = isRevoked ? pair.now + random.nextLong(50_000_000) : Long.MAX_VALUE;
            MemorySegment atRevocation = null;
            for (int round = 0; round < 3000 && !isOver(); round++) {
                for (Load load : loads) {
                    if (load.in.posted() < 3 && random.nextInt(3) > 0) {
                        load.in.post(1 + random.nextInt(3));
                    }
                }
                if (pair.now >= revokeAt && atRevocation == null) {
                    slow.revoke(random.nextBoolean() ? CopyState.REFUSED : CopyState.LOST);
                    atRevocation = MemorySegment.ofArray(
                            pair.right.region.bytes.toArray(ValueLayout.JAVA_LONG)); // a copy of it
                }
                pair.runFor(2_000_000);
            }
            loads.forEach(load -> load.in.post(OPERATIONS));
            if (pair.left.failures.isEmpty()) {
                pair.run();
            }
            if (atRevocation != null) {
                assertThat(pair.right.region.bytes.mismatch(atRevocation))
                        .as("first byte that has moved since the revocation")
                        .isEqualTo(-1);
            }
            check();
        }

        private boolean isOver() {
            return pair.left.isIdle() || !pair.left.failures.isEmpty();
        }

        private void check() {
            long least = 0;
            long most = 0;
            for (Load load : loads) {
                load.check();
                least += load.added(true);
                most += load.added(false);
            }
            assertThat(pair.right.region.word(COUNTER))
                    .as("sum of what was added")
                    .isBetween(least, most);
            if (!mayTimeOut) {
                assertThat(pair.left.connection.traffic().count(Traffic.Event.TIMEOUT))
                        .isZero();
            }
            pair.right.connection.close();
            pair.runFor(100_000_000);
            assertThat(slow.inUse()).as("fragments in use").isZero();
        }
    }

    /** One queue's operations, and what must come of them. */
    private static final class Load {
        private record Range(long from, int length, long to) {}

        private final Pair pair;
        final Outbox out;
        final Inbox in;
        private final long area;
        private final Map<Long, Range> writes = new HashMap<>(); // by position
        private final Map<Long, Range> reads = new HashMap<>();
        private final Map<Long, Long> adds = new HashMap<>();
        private final Map<Long, Long> addResults = new HashMap<>();
        private final Map<Long, Long> words = new HashMap<>();
        private final Map<Long, Long> byImmediate = new HashMap<>();
        private final Set<Integer> bad = new HashSet<>();

        Load(Pair pair, Outbox out, Inbox in, int index, Random random) {
            this.pair = pair;
            this.out = out;
            this.in = in;
            this.area = AREA * (1L + index);
            out.fill(index * 31L + random.nextInt(200));
            out.watcher = this::ended;
            in.watcher = this::arrived;
        }

        void post(Random random, boolean ours) {
            int to = 1 << 20; // of what comes back, in the buffer
            List<Range> written = new ArrayList<>();
            for (int i = 0; i < OPERATIONS; i++) {
                int length = random.nextInt(3) == 0 ? random.nextInt(STRIDE) : random.nextInt(600);
                Range range = new Range(i * (long) STRIDE, length, area + i * (long) STRIDE);
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> {
                        writes.put(out.post(WorkOpcode.WRITE, range.from, length, range.to, 0, 0), range);
                        written.add(range);
                    }
                    case 3 -> {
                        long position = out.post(WorkOpcode.WRITE_IMM, range.from, length, range.to, i, 0);
                        writes.put(position, range);
                        byImmediate.put((long) i, position);
                    }
                    case 4 -> {
                        long position = out.post(WorkOpcode.SEND_IMM, range.from, Math.min(length, 900), 0, i, 0);
                        byImmediate.put((long) i, position);
                    }
                    case 5 -> {
                        if (!written.isEmpty()) {
                            Range read = written.get(random.nextInt(written.size()));
                            reads.put(out.read(to, read.length, read.to), new Range(read.from, read.length, to));
                            to += read.length;
                        }
                    }
                    case 6 -> {
                        if (ours) {
                            long position = out.post(WorkOpcode.WRITE_NOTIFY, range.from, length, range.to, 0, 0);
                            long word = WORDS + area / AREA * 1024 + i * 8L;
                            out.notifyAt(position, Region.KEY, Region.BASE + word, i + 1);
                            writes.put(position, range);
                            words.put(position, word);
                        }
                    }
                    default -> {
                        long position = out.atomic(WorkOpcode.FADD, to, 8, COUNTER, i + 1, 0);
                        adds.put(position, i + 1L);
                        addResults.put(position, (long) to);
                        to += 8;
                    }
                }
            }
        }

        /** Each time that something has succeeded, it is placed. */
        private void ended(long position, int status) {
            if (status != WorkStatus.SUCCESS) {
                bad.add(status);
                return;
            }
            Range write = writes.get(position);
            if (write != null) {
                assertPlaced(write, position);
            }
            Range read = reads.get(position);
            if (read != null && bad.isEmpty()) { // else the WRITE that it reads may have failed
                assertThat(out.buffer
                                .asSlice(read.to, read.length)
                                .mismatch(out.buffer.asSlice(read.from, read.length)))
                        .as("what %s brought", read)
                        .isEqualTo(-1);
            }
            Long word = words.get(position);
            if (word != null) {
                assertThat(pair.right.region.word(word))
                        .as("word of %d", position)
                        .isPositive();
            }
        }

        /** When a record comes, its own bytes are placed. */
        private void arrived(Inbox.Arrival arrival) {
            long position = byImmediate.getOrDefault(arrival.immediate(), -1L);
            Range write = writes.get(position);
            if (write != null && arrival.status() == WorkStatus.SUCCESS) {
                assertPlaced(write, position);
            }
            writes.forEach((earlier, range) -> {
                if (earlier < position && bad.isEmpty() && !pair.right.region.isRevoked && isOnlyQueue()) {
                    assertPlaced(range, earlier);
                }
            });
        }

        /** Then everything before a record has succeeded, or the connection has failed. */
        private boolean isOnlyQueue() {
            return !pair.left.connection.config().isShared();
        }

        private void assertPlaced(Range write, long position) {
            long wrong = pair.right
                    .region
                    .bytes
                    .asSlice(write.to, write.length)
                    .mismatch(out.buffer.asSlice(write.from, write.length));
            assertThat(wrong)
                    .as("first byte of %d that is not placed", position)
                    .isEqualTo(-1);
        }

        void check() {
            assertThat(bad)
                    .isSubsetOf(WorkStatus.REM_ACCESS_ABORT_ERR, WorkStatus.REM_OPERATION_ERR, WorkStatus.WR_FLUSH_ERR);
            Set<Long> olds = new HashSet<>();
            for (Outbox.Result result : out.results) {
                Long at = addResults.get(result.position());
                if (at != null && result.status() == WorkStatus.SUCCESS) {
                    assertThat(olds.add(out.buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at)))
                            .as("the value before %d is that of no other", result.position())
                            .isTrue();
                }
            }
            assertThat(out.results)
                    .filteredOn(result -> result.status() == WorkStatus.SUCCESS)
                    .extracting(Outbox.Result::position)
                    .doesNotHaveDuplicates();
            assertThat(in.underWay()).as("receives in use").isLessThanOrEqualTo(1);
        }

        /** What was added surely, or at most. */
        long added(boolean isSure) {
            long sum = 0;
            for (Outbox.Result result : out.results) {
                boolean counts = !isSure || result.status() == WorkStatus.SUCCESS;
                sum += counts ? adds.getOrDefault(result.position(), 0L) : 0;
            }
            return sum;
        }
    }
}
