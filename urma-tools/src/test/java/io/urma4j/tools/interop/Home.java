package io.urma4j.tools.interop;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.SharedMemory;
import io.urma4j.TargetJetty;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.ThreeFsBuf;
import io.urma4j.udma.RoceEndpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Memory that the other end may use, and a queue to it; does what it asks for. */
final class Home implements AutoCloseable {
    static final int DEPTH = 64;
    static final int MIB = 1 << 20;

    private static final long MEMORY_BYTES = MIB + (64 << 10);
    private static final int INBOX = 16;
    private static final int LETTER_BYTES = 16 << 10;

    private final UrmaContext context;
    private final Eid address;
    private final int mtuBytes;
    private final Lines lines;
    private final SharedMemory memory;
    private final SharedMemory letters;
    private final LocalSegment home;
    private final LocalSegment inbox;
    private final CompletionBatch batch = new CompletionBatch(1);
    private final RegisteredBufferPool pool;
    private @Nullable RdmaBuf lease;
    private @Nullable Connected connected;

    /** What lives as long as a queue. */
    private record Connected(Jfc sends, Jfc receives, Jfr jfr, Jetty jetty, TargetJetty target, RoceSegment peer) {
        void close() {
            jetty.unbind();
            jetty.close();
            target.close();
            jfr.close();
            sends.close();
            receives.close();
        }
    }

    /** The peer's memory, as the peer describes it. */
    record RoceSegment(Eid gid, int key, long va, long lengthBytes) {
        SegmentDescriptor toDescriptor(Access access) {
            return new SegmentDescriptor(
                    gid,
                    0,
                    0,
                    0,
                    lengthBytes,
                    access,
                    TokenPolicy.NONE,
                    new Capabilities(false, false, true, MemoryKind.HOST),
                    List.of(new Endpoint(RoceEndpoint.KIND, gid.toString(), Integer.toUnsignedLong(key), va, false)));
        }
    }

    Home(UrmaContext context, Eid address, int mtuBytes, Lines lines) {
        this.context = context;
        this.address = address;
        this.mtuBytes = mtuBytes;
        this.lines = lines;
        memory = context.allocate(MEMORY_BYTES);
        letters = context.allocate(INBOX * LETTER_BYTES);
        bytes().fill(Pattern.BLANK);
        home = context.register(memory, Access.READ_WRITE_ATOMIC, TokenPolicy.NONE, Token.of(0));
        inbox = context.register(letters, Access.LOCAL_ONLY);
        pool = RegisteredBufferPool.open(PoolConfig.fixed(LETTER_BYTES, 1), context);
    }

    private MemorySegment bytes() {
        return memory.segment();
    }

    private Connected connected() {
        Connected now = connected;
        if (now == null) {
            throw new IllegalStateException("not connected");
        }
        return now;
    }

    // ---- the queue

    /** Makes a queue and connects it to the one that the peer makes at the same time. */
    void newQueue() {
        if (connected != null) {
            connected.close();
        }
        Jfc sends = context.createJfc(JfcConfig.DEFAULT);
        Jfc receives = context.createJfc(JfcConfig.DEFAULT);
        Jfr jfr = context.createJfr(
                receives,
                JfrConfig.builder()
                        .mode(TransportMode.RC)
                        .depth(INBOX)
                        .policy(TokenPolicy.NONE)
                        .allowInvalidate(true)
                        .build());
        JfsConfig config =
                JfsConfig.builder().mode(TransportMode.RC).depth(DEPTH).build();
        Jetty jetty = context.createJetty(sends, jfr, config, receives);
        for (int slot = 0; slot < INBOX; slot++) {
            receive(jfr, slot);
        }
        RoceEndpoint ours = RoceEndpoint.of(jetty.descriptor()).orElseThrow();
        Endpoint opened = home.descriptor().endpoints().stream()
                .filter(endpoint -> endpoint.kind().equals(RoceEndpoint.KIND))
                .findFirst()
                .orElseThrow();
        lines.tell(String.format(
                "queue %x %x %016x%016x %x %x %x",
                ours.qpNumber(),
                ours.firstPsn(),
                address.high(),
                address.low(),
                opened.key(),
                opened.vaBase(),
                MEMORY_BYTES));
        String[] said = lines.hear().split(" ", -1);
        Eid gid = new Eid(
                Long.parseUnsignedLong(said[3].substring(0, 16), 16),
                Long.parseUnsignedLong(said[3].substring(16), 16));
        RoceEndpoint theirs =
                new RoceEndpoint(gid, Integer.parseInt(said[1], 16), Integer.parseInt(said[2], 16), mtuBytes);
        TargetJetty target = context.importJetty(theirs.toDescriptor(jetty.jfs().orderType()), null);
        jetty.bind(target);
        lines.tell("ready");
        String ready = lines.hear();
        if (!ready.equals("ready")) {
            throw new IllegalStateException("the peer is not ready: " + ready);
        }
        RoceSegment segment = new RoceSegment(
                gid,
                Integer.parseUnsignedInt(said[4], 16),
                Long.parseUnsignedLong(said[5], 16),
                Long.parseUnsignedLong(said[6], 16));
        connected = new Connected(sends, receives, jfr, jetty, target, segment);
    }

    private void receive(Jfr jfr, long slot) {
        if (!jfr.receive(inbox, slot * LETTER_BYTES, LETTER_BYTES, slot)) {
            throw new IllegalStateException("the receive queue is full");
        }
    }

    Jetty jetty() {
        return connected().jetty();
    }

    UrmaContext context() {
        return context;
    }

    /** The peer's description of its memory. */
    RoceSegment peer() {
        return connected().peer();
    }

    RemoteSegment imported(RoceSegment segment, Access access) {
        return context.importSegment(segment.toDescriptor(access), null);
    }

    /** The next record of what we have posted. */
    Completion sent() {
        return next(connected().sends());
    }

    private Completion next(Jfc jfc) {
        long deadline = System.nanoTime() + OneSided.PATIENCE.toNanos() / 2;
        while (jfc.poll(batch) == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("no record within " + OneSided.PATIENCE.toSeconds() / 2 + " s");
            }
            Thread.yield();
        }
        return batch.completion(0);
    }

    // ---- doing what the peer asks for

    /** Until the peer ends it. */
    void serve() {
        for (String line = lines.hear(); !line.equals("end"); line = lines.hear()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "again" -> newQueue();
                case "export" -> lines.tell("exported " + export((int) number(words[1])));
                default -> lines.tell(obey(words).orElse("ok"));
            }
        }
    }

    private Optional<String> obey(String[] words) {
        return switch (words[0]) {
            case "check" -> Pattern.look(bytes(), number(words[1]), number(words[2]), (int) number(words[3]));
            case "fill" -> {
                Pattern.fill(bytes(), number(words[1]), number(words[2]), (int) number(words[3]));
                yield Optional.empty();
            }
            case "blank" -> {
                bytes().fill(Pattern.BLANK);
                yield Optional.empty();
            }
            case "set" -> {
                bytes().set(JAVA_LONG, number(words[1]), Long.parseUnsignedLong(words[2], 16));
                yield Optional.empty();
            }
            case "word" -> word(number(words[1]), Long.parseUnsignedLong(words[2], 16));
            case "lease" -> lease(number(words[1]), (int) number(words[2]));
            case "release" -> {
                endLease();
                yield Optional.empty();
            }
            case "message" -> message(words[1], number(words[2]), number(words[3]), (int) number(words[4]));
            default -> throw new IllegalStateException("the peer wants something unknown: " + words[0]);
        };
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    private Optional<String> word(long offset, long wanted) {
        long is = bytes().get(JAVA_LONG, offset);
        return is == wanted ? Optional.empty() : Optional.of(String.format("0x%x, not 0x%x", is, wanted));
    }

    private Optional<String> message(String kind, long length, long value, int seed) {
        Completion record = next(connected().receives());
        Opcode wanted = switch (kind) {
            case "send" -> Opcode.SEND;
            case "immediate" -> Opcode.SEND_IMM;
            case "written" -> Opcode.WRITE_IMM;
            default -> throw new IllegalStateException("no kind of message: " + kind);
        };
        receive(connected().jfr(), record.userContext());
        if (record.status() != CompletionStatus.SUCCESS
                || record.opcode() != wanted
                || record.lengthBytes() != length
                || (wanted != Opcode.SEND && record.immediate().orElse(-1) != value)) {
            return Optional.of("wanted " + wanted + " of " + length + " bytes with " + value + "; came " + record);
        }
        return wanted == Opcode.WRITE_IMM
                ? Optional.empty()
                : Pattern.compare(letters.segment(), record.userContext() * LETTER_BYTES, length, seed);
    }

    // ---- exports to the peer's queue

    /** Leases a buffer, and exports a part of it; returns 3FS's form in hexadecimal. */
    private String export(int lengthBytes) {
        endLease();
        RdmaBuf leased = pool.acquire(lengthBytes + 2L * Pattern.SURROUNDINGS, Duration.ZERO);
        lease = leased;
        leased.view().segment().fill(Pattern.BLANK);
        ThreeFsBuf exported =
                leased.exportTo(jetty(), leased.view().subrange(Pattern.SURROUNDINGS, lengthBytes), Access.READ_WRITE);
        byte[] form = new byte[exported.encodedBytes()];
        var _ = exported.encode(MemorySegment.ofArray(form));
        return HexFormat.of().formatHex(form);
    }

    private Optional<String> lease(long lengthBytes, int seed) {
        RdmaBuf leased = lease;
        if (leased == null) {
            throw new IllegalStateException("nothing is leased");
        }
        MemorySegment copy = Arena.ofAuto().allocate(leased.lengthBytes());
        copy.copyFrom(leased.view().segment());
        return Pattern.look(copy, Pattern.SURROUNDINGS, lengthBytes, seed);
    }

    private void endLease() {
        if (lease != null) {
            lease.close();
            lease = null;
        }
    }

    @Override
    public void close() {
        endLease();
        if (connected != null) {
            connected.close();
        }
        pool.close();
        home.close();
        inbox.close();
        memory.close();
        letters.close();
    }
}
