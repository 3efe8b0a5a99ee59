package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.ConnectionConfig.Kind;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Once everything has grown to its size, no operation and no packet allocates. */
class AllocationTest {
    private static final int ROUNDS = 20_000;
    private static final int LENGTH = 3000;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void nothingIsAllocatedForAnOperation(Kind kind) {
        Line line = new Line(kind);
        for (int i = 0; i < 3; i++) {
            line.round(ROUNDS);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            line.round(ROUNDS);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes for %d operations", ROUNDS).isLessThan(ROUNDS);
        assertThat(line.done).isEqualTo(8L * ROUNDS);
    }

    /** Two ends on one thread, and packets that are handed over as they are. */
    private static final class Line implements SendWork {
        private static final int[] OPCODES = {
            WorkOpcode.WRITE, WorkOpcode.SEND, WorkOpcode.READ, WorkOpcode.FADD, WorkOpcode.WRITE_IMM
        };

        private final Region region = new Region(1 << 16);
        private final NativeMemory ring = NativeMemory.allocate(SendWqe.BLOCK_BYTES);
        private final MemorySegment buffer = MemorySegment.ofArray(new byte[LENGTH]);
        private final Connection left;
        private final Connection right;
        private final Wire toRight = new Wire();
        private final Wire toLeft = new Wire();
        private long now;
        long done;

        Line(Kind kind) {
            Sink sink = new Sink();
            ConnectionOwner owner = (connection, status, nowNanos) -> {
                throw new AssertionError(connection + " failed with " + status);
            };
            left = new Connection(
                    ConnectionConfig.builder(kind, 1, 2).selective().build(),
                    toRight,
                    toRight,
                    region,
                    (a, b, c, d) -> sink,
                    owner,
                    0);
            right = new Connection(
                    ConnectionConfig.builder(kind, 2, 1).selective().build(),
                    toLeft,
                    toLeft,
                    region,
                    (a, b, c, d) -> sink,
                    owner,
                    0);
        }

        void round(int operations) {
            for (int i = 0; i < operations; i++) {
                int opcode = OPCODES[i % OPCODES.length];
                SendWqe.put(ring, 0, opcode, 0, 0, 0, opcode == WorkOpcode.FADD ? 8 : LENGTH);
                SendWqe.remote(ring, 0, Region.KEY, Region.BASE);
                SendWqe.operands(ring, 0, 1, 0);
                left.start(this, i, 7, false);
                long before = done;
                while (done == before) {
                    now += 1000;
                    left.step(now, FlushHint.FLUSH);
                    toRight.handTo(right, now);
                    right.step(now, FlushHint.FLUSH);
                    toLeft.handTo(left, now);
                }
            }
        }

        @Override
        public int queueId() {
            return 3;
        }

        @Override
        public NativeMemory ring() {
            return ring;
        }

        @Override
        public long at(long position) {
            return 0;
        }

        @Override
        public boolean gather(long position, long from, Packet to, int lengthBytes) {
            MemorySegment.copy(buffer, from, to.bytes().segment(), to.payloadAt(), lengthBytes);
            return true;
        }

        @Override
        public boolean scatter(long position, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
            MemorySegment.copy(from.segment(), fromOffset, buffer, toOffset, lengthBytes);
            return true;
        }

        @Override
        public void done(long position, int status) {
            if (status != 0) {
                throw new AssertionError("status " + status);
            }
            done++;
        }

        @Override
        public void notReady(long position, long waitNanos) {
            throw new AssertionError("not ready");
        }
    }

    /** A port whose packets wait until they are handed over. */
    private static final class Wire implements Port, Route {
        private final Packet[] packets = new Packet[64];
        private int count;

        Wire() {
            for (int i = 0; i < packets.length; i++) {
                packets[i] = Packet.allocate();
            }
        }

        @Override
        public Packet begin(Route route) {
            return packets[count];
        }

        @Override
        public void end(int payloadBytes) {
            Packet packet = packets[count++];
            packet.lengthBytes(packet.payloadAt() + payloadBytes + 4);
        }

        @Override
        public boolean flush() {
            return false;
        }

        void handTo(Connection connection, long now) {
            for (int i = 0; i < count; i++) {
                connection.receive(packets[i], now, false);
            }
            count = 0;
        }

        @Override
        public int mtuBytes() {
            return 4096;
        }

        @Override
        public long eidHigh() {
            return 0;
        }

        @Override
        public long eidLow() {
            return 0;
        }

        @Override
        public int port() {
            return IpHeaders.ROCE_PORT;
        }
    }

    /** Takes every message. */
    private static final class Sink implements ReceiveWork {
        @Override
        public long take() {
            return 1;
        }

        @Override
        public int rnrTimerCode() {
            return 1;
        }

        @Override
        public boolean allowsInvalidate() {
            return true;
        }

        @Override
        public long capacityBytes(long taken) {
            return LENGTH;
        }

        @Override
        public boolean scatter(long taken, long toOffset, NativeMemory from, long fromOffset, int lengthBytes) {
            return true;
        }

        @Override
        public void done(
                long taken,
                int status,
                int opcode,
                long lengthBytes,
                long immediate,
                boolean solicited,
                int sourceQueue,
                int connection,
                long nowNanos) {}

        @Override
        public void giveBack(long taken) {}
    }
}
