package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardListener;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.Refusal;
import io.urma4j.udma.command.RemotePort;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.transport.Source;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A card with what a driver has: rings, memory, and a port of which packets are taken by hand. */
final class Host implements Port, CardListener {
    static final int DEPTH = 16;
    static final int STRIDE = SendWqe.strideBytes(4, 208);
    static final int RECEIVE_STRIDE = ReceiveWqe.strideBytes(4);

    final Arena arena = Arena.ofAuto();
    final Address address;
    final Card card;
    final List<String> events = new ArrayList<>();
    final ArrayDeque<Packet> leaving = new ArrayDeque<>();

    /** Null when nothing is. */
    @Nullable
    Predicate<Packet> isLost;

    /** The longest packet that may leave; longer ones are lost. */
    int narrowedBytes = Route.NOT_NARROWED;

    private final Map<RemotePort, Route> routes = new HashMap<>();
    private final List<Cq> cqs = new ArrayList<>();
    private @Nullable Packet begun;

    Host(int number, int mtuBytes) {
        this(number, mtuBytes, CardCommands.MAX_KEYS);
    }

    Host(int number, int mtuBytes, int maxKeys) {
        this(number, mtuBytes, CardOptions.DEFAULT.withMaxKeys(maxKeys));
    }

    Host(int number, int mtuBytes, CardOptions options) {
        this.address = new Address(number, mtuBytes);
        this.card = new Card(this, this::routeTo, this, options);
    }

    /** With memory that answers later. */
    Host(int number, int mtuBytes, LateMemory late) {
        this.address = new Address(number, mtuBytes);
        this.card = new Card(this, this::routeTo, this, CardOptions.DEFAULT, late);
    }

    /** The port that a route leads to, as commands of the card name it. */
    RemotePort port(Route route) {
        RemotePort port = new RemotePort(route.eidHigh(), route.eidLow(), route.port(), route.secret(), true);
        routes.put(port, new Way(route));
        return port;
    }

    private Route routeTo(RemotePort port) {
        return Objects.requireNonNull(routes.get(port), port::toString);
    }

    /** A route whose path may be {@linkplain #narrowedBytes narrowed}. */
    private final class Way implements Route {
        private final Route to;

        Way(Route to) {
            this.to = to;
        }

        @Override
        public int narrowedBytes() {
            return narrowedBytes;
        }

        @Override
        public int mtuBytes() {
            return to.mtuBytes();
        }

        @Override
        public long eidHigh() {
            return to.eidHigh();
        }

        @Override
        public long eidLow() {
            return to.eidLow();
        }

        @Override
        public int port() {
            return to.port();
        }

        @Override
        public long secret() {
            return to.secret();
        }
    }

    record Address(long eidLow, int mtuBytes) implements Route, Source {
        @Override
        public long eidHigh() {
            return 0;
        }

        @Override
        public int port() {
            return IpHeaders.ROCE_PORT;
        }

        @Override
        public long secret() {
            return IpHeaders.NO_SECRET;
        }
    }

    // ---- the port: ICRCs are tested elsewhere

    @Override
    public Packet begin(Route route) {
        begun = Packet.allocate();
        return begun;
    }

    @Override
    public void end(int payloadBytes) {
        Packet packet = begun;
        if (packet == null) {
            throw new IllegalStateException("no packet was begun");
        }
        begun = null;
        packet.lengthBytes(packet.payloadAt() + payloadBytes + 4);
        Predicate<Packet> lost = isLost;
        if (lost == null) {
            leaving.add(packet);
        } else {
            loseSomeOf(packet, lost);
        }
    }

    /** As if each had left by itself. */
    private void loseSomeOf(Packet packet, Predicate<Packet> lost) {
        for (Packet one : Bundle.apart(packet)) {
            if (!lost.test(one)) {
                leaving.add(one);
            }
        }
    }

    @Override
    public boolean flush() {
        return false;
    }

    // ---- what the card tells

    @Override
    public boolean takesControl() {
        return true;
    }

    @Override
    public void controlArrived(ByteBuffer datagram, long eidHigh, long eidLow, long nowNanos) {
        events.add("control packet");
    }

    @Override
    public void recordsArrived(int cq) {
        cqs.stream().filter(one -> one.handle == cq).forEach(one -> one.fired++);
    }

    @Override
    public void valueStored(int notifyTag) {
        events.add("value for " + notifyTag);
    }

    @Override
    public void requestRefused(int tag, Refusal why) {}

    @Override
    public void sendQueueFailed(int tag, int status) {
        events.add("send queue " + tag + " failed");
    }

    @Override
    public void receiveQueueFailed(int tag) {
        events.add("receive queue " + tag + " failed");
    }

    @Override
    public void receivesLow(int tag, long left) {
        events.add("receive queue " + tag + " has " + left + " left");
    }

    @Override
    public void cqOverflowed(int cq) {
        events.add("CQ " + cq + " overflowed");
    }

    @Override
    public void receiverNotReady(int tag, int target) {
        events.add("not ready for send queue " + tag);
    }

    @Override
    public void invalidated(long keyOwner, int peer, boolean whole) {
        events.add("owner " + keyOwner + " invalidated by " + peer + (whole ? "" : ", windows alone"));
    }

    @Override
    public void peerSilent(int connection) {
        events.add("silent");
    }

    @Override
    public void peerStuck(int connection) {
        events.add("stuck");
    }

    // ---- memory

    MemorySegment memory(long bytes) {
        return arena.allocate(bytes, 64);
    }

    int localKey(MemorySegment memory) {
        return card.registerKey(KeyConfig.local(memory));
    }

    // ---- queues

    /** A completion queue, as its poller sees it. */
    final class Cq {
        final int depth;
        final NativeMemory ring;
        final int handle;
        int fired;
        private long consumed;

        Cq(int depth) {
            this.depth = depth;
            this.ring = NativeMemory.allocate(CqRing.bytes(depth));
            this.handle = card.createCq(ring, depth, 1, 0);
            cqs.add(this);
        }

        @Nullable
        CqRecord poll() {
            long at = CqRing.at(consumed, depth);
            int word = Cqe.word(ring, at);
            if (Cqe.owner(word) != CqRing.owner(consumed, depth)) {
                return null;
            }
            CqRecord polled = new CqRecord(
                    Cqe.status(word),
                    Cqe.opcode(word),
                    Cqe.flags(word),
                    Cqe.tag(ring, at),
                    Cqe.position(ring, at),
                    Cqe.lengthBytes(ring, at),
                    Cqe.immediate(ring, at),
                    Cqe.remote(ring, at));
            consumed++;
            CqRing.consumed(ring, consumed);
            return polled;
        }

        List<CqRecord> pollAll() {
            List<CqRecord> all = new ArrayList<>();
            for (CqRecord polled = poll(); polled != null; polled = poll()) {
                all.add(polled);
            }
            return all;
        }
    }

    record CqRecord(
            int status, int opcode, int flags, int tag, long position, long length, long immediate, long remote) {
        boolean has(int flag) {
            return (flags & flag) != 0;
        }
    }

    /** A receive queue with buffers of 64 bytes. */
    final class Receives {
        static final int BUFFER_BYTES = 4096;

        final NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, RECEIVE_STRIDE));
        final MemorySegment buffers = memory((long) DEPTH * BUFFER_BYTES);
        int key = localKey(buffers);
        final Cq cq;
        final int handle;
        private long posted;

        Receives(Cq cq) {
            this.cq = cq;
            this.handle = card.createReceiveQueue(builder().build());
        }

        Receives(Cq cq, java.util.function.UnaryOperator<ReceiveQueueConfig.Builder> with) {
            this.cq = cq;
            this.handle = card.createReceiveQueue(with.apply(builder()).build());
        }

        /** Its buffers lie on a device. */
        Receives intoDevice(KeyConfig.DeviceBytes bytes) {
            key = card.registerKey(KeyConfig.local(buffers).onDevice(bytes));
            return this;
        }

        private ReceiveQueueConfig.Builder builder() {
            return ReceiveQueueConfig.builder(ring, DEPTH, RECEIVE_STRIDE, cq.handle)
                    .tag(100);
        }

        void post(int count, int bytes) {
            for (int i = 0; i < count; i++) {
                long at = WqRing.at(posted, DEPTH, RECEIVE_STRIDE);
                ReceiveWqe.put(ring, at, 1, posted);
                ReceiveWqe.range(ring, at, 0, key, bytes, bufferAt(posted));
                WqRing.produced(ring, ++posted);
            }
        }

        long bufferAt(long position) {
            return position % DEPTH * BUFFER_BYTES;
        }

        int number() {
            return card.receiveNumber(handle);
        }
    }

    /** A send queue with a scratch memory of a megabyte. */
    final class Sends {
        final NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, STRIDE));
        final MemorySegment scratch = memory(1 << 20);
        int key = localKey(scratch);
        private int onDevice;
        final Cq cq;
        final int handle;
        private long posted;

        Sends(SendQueueConfig.Kind kind, Cq cq, java.util.function.UnaryOperator<SendQueueConfig.Builder> with) {
            this.cq = cq;
            this.handle = card.createSendQueue(with.apply(SendQueueConfig.builder(kind, ring, DEPTH, STRIDE, cq.handle)
                            .tag(1)
                            .sourceId(77))
                    .build());
        }

        /** Its local ranges lie on a device. */
        Sends fromDevice(KeyConfig.DeviceBytes bytes) {
            key = card.registerKey(KeyConfig.local(scratch).onDevice(bytes));
            onDevice = SendWqe.ON_DEVICE;
            return this;
        }

        int number() {
            return card.sendNumber(handle);
        }

        QueueState state() {
            return card.sendState(handle);
        }

        void message(int opcode, int target, int bytes, long immediate) {
            message(opcode, target, bytes, immediate, WorkOpcode.SIGNALLED);
        }

        void message(int opcode, int target, int bytes, long immediate, int flags) {
            long at = at();
            SendWqe.put(ring, at, opcode, flags, 1 | onDevice, target, bytes);
            SendWqe.operands(ring, at, immediate, 0);
            SendWqe.range(ring, at, 0, key, bytes, 0);
            publish();
        }

        void oneSided(int opcode, int target, int remoteKey, long va, int bytes, long operand) {
            oneSided(opcode, target, remoteKey, va, bytes, operand, WorkOpcode.SIGNALLED);
        }

        void oneSided(int opcode, int target, int remoteKey, long va, int bytes, long operand, int flags) {
            long at = at();
            SendWqe.put(ring, at, opcode, flags, 1 | onDevice, target, bytes);
            SendWqe.remote(ring, at, remoteKey, va);
            SendWqe.operands(ring, at, operand, 0);
            SendWqe.range(ring, at, 0, key, bytes, 0);
            publish();
        }

        /** A WRITE of several ranges of equal length, which lie so far apart. */
        void write(int target, int remoteKey, long va, int ranges, int rangeBytes, long stepBytes) {
            long at = at();
            int length = ranges * rangeBytes;
            SendWqe.put(ring, at, WorkOpcode.WRITE, WorkOpcode.SIGNALLED, ranges | onDevice, target, length);
            SendWqe.remote(ring, at, remoteKey, va);
            for (int i = 0; i < ranges; i++) {
                SendWqe.range(ring, at, i, key, rangeBytes, i * stepBytes);
            }
            publish();
        }

        /** A WRITE that stores a word afterwards. */
        void notify(int target, int remoteKey, long va, int bytes, int wordKey, long wordVa, long word) {
            long at = at();
            SendWqe.put(ring, at, WorkOpcode.WRITE_NOTIFY, WorkOpcode.SIGNALLED, 1 | onDevice, target, bytes);
            SendWqe.remote(ring, at, remoteKey, va);
            SendWqe.notify(ring, at, wordKey, wordVa, word);
            SendWqe.range(ring, at, 0, key, bytes, 0);
            publish();
        }

        /** A transfer of READs of that length, which lie one behind the other on both sides. */
        void readBlocks(int target, int remoteKey, long va, int blocks, int blockBytes) {
            transfer(target, remoteKey, va, (long) blocks * blockBytes, reads(blocks, 0, remoteKey, va, blockBytes), 0);
        }

        /** The same, and a WRITE of eight bytes of ones behind all of them. */
        void readBlocksThenWrite(int target, int remoteKey, long va, int blocks, int blockBytes, long wordVa) {
            NativeMemory list = reads(blocks, 1, remoteKey, va, blockBytes);
            long last = (long) blocks * SendWqe.BLOCK_BYTES;
            SendWqe.put(list, last, WorkOpcode.WRITE, 0, 1, 0, 8);
            SendWqe.remote(list, last, remoteKey, wordVa);
            SendWqe.range(list, last, 0, localKey(memory(8).fill((byte) -1)), 8, 0);
            transfer(target, remoteKey, va, (long) blocks * blockBytes, list, 1);
        }

        private NativeMemory reads(int blocks, int further, int remoteKey, long va, int blockBytes) {
            NativeMemory list = NativeMemory.allocate((long) (blocks + further) * SendWqe.BLOCK_BYTES);
            for (int i = 0; i < blocks; i++) {
                long element = (long) i * SendWqe.BLOCK_BYTES;
                SendWqe.put(list, element, WorkOpcode.READ, 0, 1 | onDevice, 0, blockBytes);
                SendWqe.remote(list, element, remoteKey, va + (long) i * blockBytes);
                SendWqe.range(list, element, 0, key, blockBytes, (long) i * blockBytes);
            }
            return list;
        }

        private void transfer(int target, int remoteKey, long va, long bytes, NativeMemory list, int isLastAlone) {
            long at = at();
            int elements = (int) (list.lengthBytes() / SendWqe.BLOCK_BYTES);
            SendWqe.put(ring, at, WorkOpcode.READ, WorkOpcode.SIGNALLED, SendWqe.BLOCKS, target, 0);
            SendWqe.operands(ring, at, 0, bytes);
            SendWqe.remote(ring, at, remoteKey, va);
            SendWqe.range(ring, at, 0, localKey(list.segment()), elements, isLastAlone);
            publish();
        }

        void to(int completionQueue) {
            SendWqe.cq(ring, WqRing.at(posted - 1, DEPTH, STRIDE), completionQueue);
        }

        void nop() {
            SendWqe.put(ring, at(), io.urma4j.udma.ring.WorkOpcode.NOP, WorkOpcode.SIGNALLED, 0, 0, 0);
            publish();
        }

        private long at() {
            return WqRing.at(posted, DEPTH, STRIDE);
        }

        private void publish() {
            WqRing.produced(ring, ++posted);
            card.doorbell(handle);
        }

        /** Position and status of what is taken out. */
        List<List<Long>> flush(long now) {
            long[] out = new long[2 * DEPTH];
            int count = card.flush(handle, out, DEPTH, now);
            List<List<Long>> taken = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                taken.add(List.of(out[2 * i], out[2 * i + 1]));
            }
            return taken;
        }
    }
}
