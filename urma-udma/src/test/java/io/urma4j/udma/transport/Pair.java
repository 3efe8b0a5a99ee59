package io.urma4j.udma.transport;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.PacketCheck;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Two ends of a connection, and a network between them that does as it is told, in virtual time. */
final class Pair {
    static final int LEFT = 0x11;
    static final int RIGHT = 0x22;
    private static final long HOP_NANOS = 10_000;

    /** What the network does to packets. */
    record Faults(double loss, double duplication, long jitterNanos) {
        static final Faults NONE = new Faults(0, 0, 0);
    }

    /**
     * What lies between the ends, in each direction.
     *
     * @param delayNanos however empty it is
     * @param byteNanos how long it takes to send a byte
     * @param queueBytes what waits for that before more is dropped
     * @param dutyCycle when packets leave it at its end
     */
    record Line(long delayNanos, long byteNanos, long queueBytes, DutyCycle dutyCycle) {
        static final Line SHORT = new Line(HOP_NANOS, 0, Long.MAX_VALUE, DutyCycle.ALWAYS);
    }

    /**
     * What comes later than it would, so that others overtake it.
     *
     * @param share of the packets
     * @param nanos how much later: about so long, between three quarters and five quarters
     */
    record Disorder(double share, long nanos) {
        static final Disorder NONE = new Disorder(0, 0);

        long delay(Random random) {
            return share == 0 || random.nextDouble() >= share ? 0 : nanos * 3 / 4 + random.nextLong(nanos / 2);
        }
    }

    /** What sends into a line, one packet after the other. */
    private static final class Sending {
        private long freeAt;
    }

    private record Flight(long atNanos, long order, End to, Packet packet, boolean isLate) {}

    /** A host without a CPU of its own: in each period it runs for a while, from the start, and then it does not. */
    record DutyCycle(long periodNanos, long startNanos, long runNanos) {
        static final DutyCycle ALWAYS = new DutyCycle(1, 0, 1);

        /** The earliest time, from that one on, at which it runs. */
        long next(long nanos) {
            long at = Math.floorMod(nanos - startNanos, periodNanos);
            return at < runNanos ? nanos : nanos + periodNanos - at;
        }
    }

    /** Looks at each packet; false loses it. */
    interface Filter {
        boolean lets(End to, Packet packet);
    }

    private final Random random;
    private final Faults faults;
    private final PriorityQueue<Flight> flights = new PriorityQueue<>(
            (a, b) -> a.atNanos != b.atNanos ? Long.compare(a.atNanos, b.atNanos) : Long.compare(a.order, b.order));
    private long order;
    long now = 1_000_000;
    Filter filter = (to, packet) -> true;
    Line line = Line.SHORT;
    Disorder disorder = Disorder.NONE;

    final End left;
    final End right;

    Pair(ConnectionConfig.Kind kind) {
        this(kind, config -> config, Faults.NONE, 1);
    }

    Pair(ConnectionConfig.Kind kind, UnaryOperator<ConnectionConfig.Builder> adjusted, Faults faults, long seed) {
        this(kind, adjusted, faults, seed, null);
    }

    /** @param pace of the memory of the right end; null if it answers at once */
    Pair(
            ConnectionConfig.Kind kind,
            UnaryOperator<ConnectionConfig.Builder> adjusted,
            Faults faults,
            long seed,
            SlowMemory.@Nullable Pace pace) {
        this.random = new Random(seed);
        this.faults = faults;
        int leftPsn = 0xFF_FFF0;
        int rightPsn = 0x00_1234;
        left = new End(
                adjusted.apply(ConnectionConfig.builder(kind, LEFT, RIGHT).psns(leftPsn, rightPsn))
                        .build(),
                null);
        right = new End(
                adjusted.apply(ConnectionConfig.builder(kind, RIGHT, LEFT).psns(rightPsn, leftPsn))
                        .build(),
                pace == null ? null : region -> new SlowMemory(region, pace, seed, () -> now));
        left.peer = right;
        right.peer = left;
    }

    /** What both ends mix into the ICRC of each packet. */
    void secret(long secret) {
        left.ip.secret(secret);
        right.ip.secret(secret);
    }

    /** An end: its connection, its memory, and its queues by number. */
    final class End implements Port, Receivers, ConnectionOwner, Route {
        final Region region = new Region(4 << 20);
        final Connection connection;
        final List<Outbox> outboxes = new ArrayList<>();
        final Map<Integer, Inbox> inboxes = new HashMap<>();
        final List<Integer> failures = new ArrayList<>();
        final List<Integer> refusals = new ArrayList<>();
        final List<Packet> sent = new ArrayList<>();
        boolean records;

        @Nullable
        End peer;

        int room = Integer.MAX_VALUE;
        DutyCycle dutyCycle = DutyCycle.ALWAYS;
        private Sending lineTo = new Sending();
        int lost; // packets to it

        /** Whether it knows what came while it did not run. */
        boolean knowsLate = true;

        private final Packet place;
        private final Icrc icrc = new Icrc();
        private final IpHeaders ip = IpHeaders.ipv4(0x0A000001, 0x0A000002, 0xC000, IpHeaders.ROCE_PORT);

        /** Its memory, if that answers later. */
        final @Nullable SlowMemory slow;

        End(ConnectionConfig config, @Nullable Function<Region, SlowMemory> slows) {
            slow = slows == null ? null : slows.apply(region);
            place = new Packet(NativeMemory.allocate(Packet.maxBytes(config.mtuBytes())), true);
            connection = new Connection(config, this, this, slow == null ? region : slow, this, this, now);
        }

        Outbox outbox(int number, int remoteQueue) {
            Outbox outbox = new Outbox(number, remoteQueue, 4 << 20);
            outbox.now = () -> now;
            outboxes.add(outbox);
            return outbox;
        }

        /** The queue of a connection of one. */
        Outbox outbox() {
            return outbox(connection.config().number(), connection.config().peerNumber());
        }

        Inbox inbox(int number, int bufferBytes) {
            Inbox inbox = new Inbox(bufferBytes);
            inboxes.put(number, inbox);
            return inbox;
        }

        Inbox inbox(int bufferBytes) {
            return inbox(connection.config().number(), bufferBytes);
        }

        @Override
        public @Nullable Packet begin(Route route) {
            return room == 0 ? null : place;
        }

        @Override
        public void end(int payloadBytes) {
            room--;
            place.end(payloadBytes, ip, icrc);
            if (records) {
                sent.add(copy(place));
            }
            deliver(Objects.requireNonNull(peer), place);
        }

        @Override
        public boolean flush() {
            return false;
        }

        @Override
        public @Nullable ReceiveWork receiver(int queue, int hint, int sourceQueue, int number) {
            return inboxes.get(queue);
        }

        @Override
        public void failed(Connection failed, int status, long nowNanos) {
            failures.add(status);
        }

        @Override
        public void refused(Connection refusing, int syndrome, long nowNanos) {
            refusals.add(syndrome);
        }

        @Override
        public int mtuBytes() {
            return connection.config().mtuBytes();
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

        void receive(Packet packet) {
            receive(packet, false);
        }

        void receive(Packet packet, boolean isLate) {
            if (PacketCheck.of(packet) == null) {
                connection.receive(packet, now, isLate && knowsLate);
            }
        }

        void step() {
            if (slow != null) {
                slow.run();
            }
            if (dutyCycle.next(now) > now) {
                return;
            }
            for (Outbox outbox : outboxes) {
                outbox.run(connection, now);
            }
            boolean isMore;
            do { // once even if the port has no room: nothing may be lost by that
                isMore = connection.step(now, FlushHint.FLUSH);
                for (Outbox outbox : outboxes) {
                    outbox.run(connection, now);
                }
            } while (isMore && room > 0);
        }

        long deadline() {
            long deadline = dutyCycle.next(now) > now && !isIdle() ? now : connection.deadlineNanos();
            for (Outbox outbox : outboxes) {
                deadline = Math.min(deadline, outbox.retryAtNanos());
            }
            deadline = slow == null ? deadline : Math.min(deadline, slow.nextNanos());
            return deadline == Long.MAX_VALUE ? deadline : dutyCycle.next(Math.max(now, deadline));
        }

        boolean isIdle() {
            return outboxes.stream().allMatch(Outbox::isIdle);
        }
    }

    static Packet copy(Packet packet) {
        Packet copy = new Packet(NativeMemory.allocate(packet.lengthBytes()));
        NativeMemory.copy(packet.bytes(), 0, copy.bytes(), 0, packet.lengthBytes());
        copy.lengthBytes(packet.lengthBytes());
        return copy;
    }

    private void deliver(End to, Packet packet) {
        if (!filter.lets(to, packet)) {
            return;
        }
        int copies = random.nextDouble() < faults.loss ? 0 : random.nextDouble() < faults.duplication ? 2 : 1;
        to.lineTo.freeAt = Math.max(to.lineTo.freeAt, now);
        if (copies == 0 || line.byteNanos > 0 && to.lineTo.freeAt - now > line.byteNanos * line.queueBytes) {
            to.lost++;
            return;
        }
        for (int i = 0; i < copies; i++) {
            to.lineTo.freeAt += line.byteNanos * packet.lengthBytes();
            long delay = line.delayNanos + (faults.jitterNanos == 0 ? 0 : random.nextLong(faults.jitterNanos));
            delay += disorder.delay(random);
            long arrival = line.dutyCycle.next(to.lineTo.freeAt + delay);
            long seen = to.dutyCycle.next(arrival);
            flights.add(new Flight(seen, order++, to, copy(packet), seen > arrival));
        }
    }

    /** From now on both ends send into the same line as those of the other pair: they share its rate and its queue. */
    void shareLineOf(Pair other) {
        line = other.line;
        left.lineTo = other.left.lineTo;
        right.lineTo = other.right.lineTo;
    }

    /** Until nothing is on its way and nothing is due within that time. */
    void runFor(long nanos) {
        runFor(List.of(this), nanos);
    }

    /** The same for several pairs at once. */
    static void runFor(List<Pair> pairs, long nanos) {
        long until = pairs.getFirst().now + nanos;
        pairs.forEach(Pair::step);
        while (true) {
            long next = Long.MAX_VALUE;
            for (Pair pair : pairs) {
                next = Math.min(next, pair.nextNanos());
            }
            if (next > until) {
                pairs.forEach(pair -> pair.now = until);
                return;
            }
            for (Pair pair : pairs) {
                boolean isItsTurn = pair.nextNanos() <= next;
                pair.now = Math.max(pair.now, next);
                if (isItsTurn) {
                    pair.arrive();
                    pair.step();
                }
            }
        }
    }

    private void step() {
        left.step();
        right.step();
    }

    private long nextNanos() {
        Flight flight = flights.peek();
        long next = Math.min(left.deadline(), right.deadline());
        return flight == null ? next : Math.min(next, flight.atNanos);
    }

    private void arrive() {
        Flight flight = flights.peek();
        while (flight != null && flight.atNanos <= now) {
            flights.poll();
            flight.to.receive(flight.packet, flight.isLate);
            flight = flights.peek();
        }
    }

    /** The same, and no longer than until something holds. */
    void runFor(long nanos, BooleanSupplier until) {
        for (long end = now + nanos; now < end && !until.getAsBoolean(); ) {
            runFor(Math.min(end - now, 10_000_000));
        }
    }

    /** Until all work requests have ended; fails when they have not after a minute of virtual time. */
    void run() {
        for (int i = 0; i < 600 && !(left.isIdle() && right.isIdle()); i++) {
            runFor(100_000_000);
        }
        if (!left.isIdle() || !right.isIdle()) {
            throw new AssertionError("not ended after a minute: " + left.connection + "\n" + right.connection);
        }
    }
}
