package io.urma4j.tools.perftest;

import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.WorkRequestList;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** How work requests of each kind are posted: singly where one call does it, else as lists. */
final class Operations {
    /** Posts work requests of one kind and size. */
    interface Poster {
        /**
         * Posts numbers {@code first} and on.
         *
         * @return how many were accepted; less than {@code count} when the queue is full
         */
        int post(Lane lane, long first, int count);
    }

    /** What fits into the 32 bits that some devices have. */
    private static final long IMMEDIATE_MASK = 0xFFFF_FFFFL;

    private Operations() {}

    /** The opcodes that these settings use. */
    static Set<Opcode> needed(Settings settings) {
        return switch (settings.workload().kind()) {
            case READ -> EnumSet.of(Opcode.READ);
            case ATOMIC -> EnumSet.of(settings.isCompareAndSwap() ? Opcode.CAS : Opcode.FADD);
            case SEND -> EnumSet.of(settings.hasImmediate() ? Opcode.SEND_IMM : Opcode.SEND);
            case WRITE -> opcodesOfWrites(settings);
        };
    }

    private static Set<Opcode> opcodesOfWrites(Settings settings) {
        Set<Opcode> needed = EnumSet.noneOf(Opcode.class);
        for (long size : sizes(settings)) {
            needed.add(opcodeOfWrite(settings, size));
        }
        return needed;
    }

    /** Whether a size needs another opcode than half of it, which was measured before. */
    static boolean isOtherCode(Settings settings, long sizeBytes) {
        return settings.workload().kind() == Workload.Kind.WRITE
                && opcodeOfWrite(settings, sizeBytes) != opcodeOfWrite(settings, sizeBytes / 2);
    }

    /** How {@code write_lat} and {@code write_bw} write payloads of that length. */
    static Opcode opcodeOfWrite(Settings settings, long sizeBytes) {
        if (settings.hasImmediate()) {
            return Opcode.WRITE_IMM;
        }
        // bytes inside one larger operation are in no order (S8.10): only a notice shows that all are there
        boolean polled = isWord(sizeBytes) && !settings.usesDeviceMemory(); // the host cannot poll device memory
        boolean notice = settings.hasNotify() || (settings.isLatency() && !polled);
        return notice ? Opcode.WRITE_NOTIFY : Opcode.WRITE;
    }

    /** Whether one call posts it, with one local range. */
    static boolean hasSingleCall(Opcode opcode) {
        return opcode != Opcode.WRITE_IMM && opcode != Opcode.WRITE_NOTIFY;
    }

    /** Whether one store writes it atomically. */
    static boolean isWord(long sizeBytes) {
        return sizeBytes <= 8 && Long.bitCount(sizeBytes) == 1;
    }

    /** The sizes of a run, ascending. */
    static List<Long> sizes(Settings settings) {
        List<Long> sizes = new ArrayList<>();
        for (long size = settings.firstSizeBytes(); size <= settings.lastSizeBytes(); size *= 2) {
            sizes.add(size);
        }
        return sizes;
    }

    static Poster poster(Endpoint endpoint, Settings settings, long sizeBytes) {
        boolean inline = settings.inlineBytes() > 0 && sizeBytes <= settings.inlineBytes();
        boolean plain = !settings.postsListsOnly() && settings.jfsPostList() == 1 && settings.sges() == 1 && !inline;
        Opcode write = opcodeOfWrite(settings, sizeBytes);
        return switch (settings.workload().kind()) {
            case WRITE -> {
                if (settings.isLatency() && write == Opcode.WRITE) {
                    yield new WordWrites(endpoint, (int) sizeBytes, inline, plain);
                }
                yield plain && write == Opcode.WRITE
                        ? new Writes(endpoint.memory(), endpoint.remote(), endpoint.layout(), sizeBytes)
                        : new Lists(endpoint, settings, write, sizeBytes, inline);
            }
            case READ ->
                plain
                        ? new Reads(endpoint.memory(), endpoint.remote(), endpoint.layout(), sizeBytes)
                        : new Lists(endpoint, settings, Opcode.READ, sizeBytes, false);
            case SEND -> {
                Opcode send = settings.hasImmediate() ? Opcode.SEND_IMM : Opcode.SEND;
                yield plain
                        ? new Sends(endpoint.memory(), endpoint.layout(), send, sizeBytes)
                        : new Lists(endpoint, settings, send, sizeBytes, inline);
            }
            case ATOMIC -> {
                Opcode atomic = settings.isCompareAndSwap() ? Opcode.CAS : Opcode.FADD;
                yield plain
                        ? new Atomics(endpoint.memory(), endpoint.remote(), endpoint.layout(), atomic, (int) sizeBytes)
                        : new Lists(endpoint, settings, atomic, sizeBytes, false);
            }
        };
    }

    private record Writes(LocalSegment memory, RemoteSegment remote, Layout layout, long sizeBytes) implements Poster {
        @Override
        public int post(Lane lane, long first, int count) {
            long to = layout.incoming(lane.index);
            long from = layout.outgoing(lane.index);
            for (int i = 0; i < count; i++) {
                long number = first + i;
                if (!lane.jfs.write(remote, to, memory, from, sizeBytes, lane.tag | number, lane.flags(number))) {
                    return i;
                }
            }
            return count;
        }
    }

    private record Reads(LocalSegment memory, RemoteSegment remote, Layout layout, long sizeBytes) implements Poster {
        @Override
        public int post(Lane lane, long first, int count) {
            long from = layout.incoming(lane.index);
            long to = layout.outgoing(lane.index);
            for (int i = 0; i < count; i++) {
                long number = first + i;
                if (!lane.jfs.read(remote, from, memory, to, sizeBytes, lane.tag | number, lane.flags(number))) {
                    return i;
                }
            }
            return count;
        }
    }

    private record Sends(LocalSegment memory, Layout layout, Opcode opcode, long sizeBytes) implements Poster {
        @Override
        public int post(Lane lane, long first, int count) {
            long from = layout.outgoing(lane.index);
            for (int i = 0; i < count; i++) {
                long number = first + i;
                PostFlags flags = lane.flags(number);
                if (!lane.jfs.send(
                        opcode,
                        lane.target,
                        memory,
                        from,
                        sizeBytes,
                        number & IMMEDIATE_MASK,
                        lane.tag | number,
                        flags)) {
                    return i;
                }
            }
            return count;
        }
    }

    private record Atomics(LocalSegment memory, RemoteSegment remote, Layout layout, Opcode opcode, int sizeBytes)
            implements Poster {
        @Override
        public int post(Lane lane, long first, int count) {
            long counter = layout.counter(lane.index);
            long result = layout.result(lane.index);
            Jfs jfs = lane.jfs;
            for (int i = 0; i < count; i++) {
                long number = first + i;
                long operand = operand(opcode, number);
                if (!jfs.atomic(
                        opcode,
                        remote,
                        counter,
                        memory,
                        result,
                        sizeBytes,
                        operand,
                        number,
                        lane.tag | number,
                        lane.flags(number))) {
                    return i;
                }
            }
            return count;
        }
    }

    /** Each atomic adds one. CAS, too: it expects the result of all earlier ones. */
    private static long operand(Opcode opcode, long number) {
        return opcode == Opcode.CAS ? number + 1 : 1;
    }

    /** Writes words to an inbox: the number of the turn, truncated to the size. */
    private static final class WordWrites implements Poster {
        private final MemorySegment bytes;
        private final LocalSegment memory;
        private final RemoteSegment remote;
        private final long to;
        private final long from;
        private final int sizeBytes;
        private final WorkRequestList list = new WorkRequestList(1, 1);
        private final boolean inline;
        private final boolean plain;
        private final MemorySegment payload;

        WordWrites(Endpoint endpoint, int sizeBytes, boolean inline, boolean plain) {
            this.memory = endpoint.memory();
            this.bytes = memory.memory();
            this.remote = endpoint.remote();
            this.to = endpoint.layout().inbox(0);
            this.from = endpoint.layout().source(0);
            this.sizeBytes = sizeBytes;
            this.inline = inline;
            this.plain = plain;
            this.payload = bytes.asSlice(from, sizeBytes);
        }

        @Override
        public int post(Lane lane, long first, int count) {
            for (int i = 0; i < count; i++) {
                long number = first + i;
                Words.set(bytes, from, sizeBytes, number + 1);
                if (!postOne(lane, number)) {
                    return i;
                }
            }
            return count;
        }

        private boolean postOne(Lane lane, long number) {
            if (plain) {
                return lane.jfs.write(remote, to, memory, from, sizeBytes, lane.tag | number, lane.flags(number));
            }
            list.clear().write(remote, to, lane.tag | number);
            if (inline) {
                list.inline(payload);
            } else {
                list.from(memory, from, sizeBytes);
            }
            list.flags(lane.flags(number));
            return postList(lane, list) == 1;
        }
    }

    /** Posts everything that a single call cannot express: lists, several ranges, inline, notices, immediates. */
    private static final class Lists implements Poster {
        private final LocalSegment memory;
        private final RemoteSegment remote;
        private final RemoteSegment remoteWords;
        private final Layout layout;
        private final Opcode opcode;
        private final long sizeBytes;
        private final int sges;
        private final WorkRequestList list;
        private final boolean inline;
        private final MemorySegment[] payloads;

        Lists(Endpoint endpoint, Settings settings, Opcode opcode, long sizeBytes, boolean inline) {
            this.memory = endpoint.memory();
            this.remote = endpoint.remote();
            this.remoteWords = endpoint.remoteWords();
            this.layout = endpoint.layout();
            this.opcode = opcode;
            this.sizeBytes = sizeBytes;
            this.sges = settings.sges();
            this.list = new WorkRequestList(settings.jfsPostList(), sges);
            this.inline = inline;
            this.payloads = new MemorySegment[inline ? endpoint.lanes().length : 0];
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = memory.memory().asSlice(layout.outgoing(i), sizeBytes);
            }
        }

        @Override
        public int post(Lane lane, long first, int count) {
            list.clear();
            for (int i = 0; i < count; i++) {
                begin(lane, first + i);
                payload(lane);
                list.flags(lane.flags(first + i));
            }
            return postList(lane, list);
        }

        private void begin(Lane lane, long number) {
            long context = lane.tag | number;
            long incoming = layout.incoming(lane.index);
            long immediate = number & IMMEDIATE_MASK;
            switch (opcode) {
                case WRITE -> list.write(remote, incoming, context);
                case WRITE_IMM -> list.writeImmediate(lane.target, remote, incoming, immediate, context);
                case WRITE_NOTIFY ->
                    list.writeNotify(remote, incoming, remoteWords, layout.inbox(lane.index), number + 1, context);
                case READ -> list.read(remote, incoming, context);
                case SEND -> list.send(lane.target, context);
                case SEND_IMM -> list.sendImmediate(lane.target, immediate, context);
                case CAS, FADD ->
                    list.atomic(
                            opcode,
                            remote,
                            layout.counter(lane.index),
                            (int) sizeBytes,
                            operand(opcode, number),
                            number,
                            context);
                case SWAP, FSUB, FAND, FOR, FXOR, SEND_INVALIDATE, NOP ->
                    throw new IllegalStateException("no test uses " + opcode);
            }
        }

        private void payload(Lane lane) {
            long at = layout.outgoing(lane.index);
            if (opcode.kind() == Opcode.Kind.ATOMIC) {
                list.into(memory, layout.result(lane.index), sizeBytes);
            } else if (inline) {
                list.inline(payloads[lane.index]);
            } else {
                long part = sizeBytes / sges;
                for (int i = 0; i < sges; i++) {
                    long length = i < sges - 1 ? part : sizeBytes - part * (sges - 1);
                    list.from(memory, at + i * part, length);
                }
            }
        }
    }

    private static int postList(Lane lane, WorkRequestList list) {
        int accepted = lane.jfs.post(list);
        if (accepted < list.size() && list.refusal().isPresent()) {
            throw list.refusal().get();
        }
        return accepted;
    }
}
