package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A network that loses, doubles and reorders: everything arrives, once and in order, and everything ends. */
class LossTest {
    private static final int QUEUE = 0x100;
    private static final int TARGET = 0x200;
    private static final int OPERATIONS = 60;
    private static final int COUNTER = 8;
    private static final int AREA = 1 << 16;
    private static final int ROOM = 1 << 15;

    @ParameterizedTest
    @CsvSource({
        "RELIABLE_CONNECTED, true, 0.01, false",
        "RELIABLE_CONNECTED, true, 0.2, false",
        "RELIABLE_CONNECTED, true, 0.01, true",
        "RELIABLE_CONNECTED, true, 0.2, true",
        "RELIABLE_CONNECTED, false, 0.05, false",
        "RELIABLE_CONNECTED, false, 0.2, false",
        "SHARED, true, 0.01, false",
        "SHARED, true, 0.2, false",
        "SHARED, true, 0.01, true",
        "SHARED, true, 0.2, true",
        "RELIABLE_CONNECTED, true, 0.5, true",
        "SHARED, true, 0.5, true"
    })
    void everythingArrivesOnceAndInOrder(Kind kind, boolean ours, double loss, boolean selective) {
        long first = Long.getLong("urma.seed", System.nanoTime());
        int seeds = Integer.getInteger("urma.seeds", 25);
        System.out.println("LossTest: seed " + first + ", again with -Durma.seed=" + first);
        for (int i = 0; i < seeds; i++) {
            try {
                run(kind, ours, loss, selective, first + i);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Durma.seeds=1 -Durma.seed=" + (first + i), e);
            }
        }
    }

    private static void run(Kind kind, boolean ours, double loss, boolean selective, long seed) {
        Random random = new Random(seed);
        int[] mtus = {256, 512, 1024, 2048, 4096, 8192, 61_440};
        int mtu = mtus[random.nextInt(ours ? mtus.length : mtus.length - 2)];
        int reads = 1 + random.nextInt(16);
        UnaryOperator<ConnectionConfig.Builder> adjusted = config -> {
            config.mtuBytes(mtu).reads(reads, reads).timeout(500_000_000L, 100);
            if (selective) {
                config.selective();
            }
            return ours ? config : config.foreignPeer();
        };
        Pair pair = new Pair(kind, adjusted, new Pair.Faults(loss, 0.05, random.nextBoolean() ? 0 : 40_000), seed);
        boolean shared = kind == Kind.SHARED;
        int queues = shared ? 3 : 1;
        Load[] loads = new Load[queues];
        for (int i = 0; i < queues; i++) {
            loads[i] = shared
                    ? new Load(pair.left.outbox(QUEUE + i, TARGET + i), pair.right.inbox(TARGET + i, ROOM), i)
                    : new Load(pair.left.outbox(), pair.right.inbox(ROOM), i);
            loads[i].post(random, ours);
        }
        for (int round = 0; round < 400 && !pair.left.isIdle(); round++) {
            for (Load load : loads) {
                if (load.in.posted() < 3 && random.nextInt(3) > 0) {
                    load.in.post(random.nextInt(4));
                }
            }
            pair.runFor(20_000_000);
        }
        for (Load load : loads) {
            load.in.post(OPERATIONS);
        }
        pair.run();
        long adds = 0;
        for (Load load : loads) {
            load.check(pair.right.region);
            adds += load.adds;
        }
        assertThat(pair.right.region.word(COUNTER)).as("sum of what was added").isEqualTo(adds);
        assertThat(pair.left.failures).isEmpty();
    }

    /** One queue's operations, and what must come of them. */
    private static final class Load {
        private record Read(long to, int length, long from) {}

        final Outbox out;
        final Inbox in;
        private final long area;
        private final List<Long> expected = new ArrayList<>();
        private final List<Read> reads = new ArrayList<>();
        private final List<Read> writes = new ArrayList<>();
        private final List<Long> addResults = new ArrayList<>();
        long adds;

        Load(Outbox out, Inbox in, int index) {
            this.out = out;
            this.in = in;
            this.area = AREA * (1L + index);
            out.fill(index);
        }

        void post(Random random, boolean ours) {
            int to = 1 << 20; // of what comes back, in the buffer
            for (int i = 0; i < OPERATIONS; i++) {
                int length = random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(600);
                int kind = random.nextInt(6);
                switch (kind) {
                    case 0, 1 -> {
                        long immediate = ours ? random.nextLong() : random.nextInt() & 0xFFFF_FFFFL;
                        expected.add(immediate);
                        int from = random.nextInt(1000);
                        out.post(WorkOpcode.SEND_IMM, from, length, 0, immediate, 0);
                    }
                    case 2 -> {
                        long immediate = random.nextInt() & 0xFFFF_FFFFL;
                        expected.add(immediate);
                        out.post(WorkOpcode.WRITE_IMM, 0, Math.min(length, 900), area, immediate, 0);
                    }
                    case 3 -> {
                        // each place is written once, so that a late copy would be seen
                        int at = 1000 + writes.size() * 1000;
                        writes.add(new Read(at, Math.min(length, 1000), area + at));
                        out.post(WorkOpcode.WRITE, at, Math.min(length, 1000), area + at, 0, 0);
                    }
                    case 4 -> {
                        if (!writes.isEmpty()) {
                            Read write = writes.get(random.nextInt(writes.size()));
                            reads.add(new Read(to, write.length, write.to));
                            out.read(to, write.length, write.from);
                            to += write.length;
                        }
                    }
                    default -> {
                        adds += i + 1;
                        addResults.add((long) to);
                        out.atomic(WorkOpcode.FADD, to, 8, COUNTER, i + 1, 0);
                        to += 8;
                    }
                }
            }
        }

        void check(Region region) {
            assertThat(out.statuses()).containsOnly(WorkStatus.SUCCESS);
            assertThat(in.arrivals)
                    .extracting(Inbox.Arrival::immediate)
                    .as("messages of queue %d", out.queueId())
                    .containsExactlyElementsOf(expected);
            for (Read read : reads) {
                assertThat(out.buffer
                                .asSlice(read.to, read.length)
                                .mismatch(out.buffer.asSlice(read.from, read.length)))
                        .as("what %s brought", read)
                        .isEqualTo(-1);
            }
            for (Read write : writes) {
                assertThat(region.bytes
                                .asSlice(write.from, write.length)
                                .mismatch(out.buffer.asSlice(write.to, write.length)))
                        .as("what %s has written", write)
                        .isEqualTo(-1);
            }
            long last = -1;
            for (long at : addResults) {
                long value = out.buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
                assertThat(value).as("old values of one queue grow").isGreaterThan(last);
                last = value;
            }
        }
    }
}
