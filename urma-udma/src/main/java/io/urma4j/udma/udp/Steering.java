package io.urma4j.udma.udp;

import static io.urma4j.libc.SocketProgram.IP_HEADER;

import io.urma4j.libc.SocketProgram;
import io.urma4j.udma.udp.KnownSources.Source;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Opcodes;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Generates the BPF program by which the kernel sorts datagrams before they take buffer space in a socket: {@link #KNOWN} for
 * sources of peers, {@link #NEWCOMER} for others that may be a greeting or a datagram for a queue, and {@link #OTHER} for the
 * rest.
 *
 * <p>The program hashes address and port with secret factors, and searches a sorted tree of the peers' hashes. Two sources may
 * collide: then an unknown source passes for a peer, and never the other way round. Beyond {@link #MAX_KNOWN} peers,
 * neighbours in the tree become one range, and more unknown sources pass.
 *
 * <pre>
 *   too short, IP options          → OTHER
 *   a = mix(address)               a in the tree of addresses → KNOWN
 *   b = mix(a, source port)        b in the tree of ports     → KNOWN
 *   the opcode is of datagrams     → NEWCOMER, else OTHER
 * </pre>
 */
final class Steering {
    static final int KNOWN = 0;
    static final int NEWCOMER = 1;
    static final int OTHER = 2;

    /** Maximum ports of peers that are distinguished exactly. */
    static final int MAX_KNOWN = 1200;

    /** Maximum addresses of peers with unknown ports that are distinguished exactly. */
    static final int MAX_KNOWN_BY_ADDRESS = 200;

    private static final int LEAF = 8; // ranges that are looked through one after the other
    private static final int MIX_SHIFT = 16;

    private static final int IPV4_SOURCE = IP_HEADER + 12;
    private static final int IPV4_UDP_SOURCE = IP_HEADER + 20;
    private static final int IPV4_WITHOUT_OPTIONS = 0x45; // version and length
    private static final int IPV6_NEXT = IP_HEADER + 6;
    private static final int IPV6_SOURCE = IP_HEADER + 8;
    private static final int IPV6_UDP_SOURCE = IP_HEADER + 40;
    private static final int UDP = 17;

    private static final int CLASS_MASK = 0xE0; // of an opcode

    private final boolean ipv6;
    private final int seed;
    private final int firstFactor;
    private final int secondFactor;

    /** For a port of that family, with secret factors. */
    Steering(boolean ipv6, RandomGenerator random) {
        this.ipv6 = ipv6;
        this.seed = random.nextInt();
        this.firstFactor = random.nextInt() | 1;
        this.secondFactor = random.nextInt() | 1;
    }

    /** The program that accepts exactly these sources, unless they are too many. */
    SocketProgram program(Source... known) {
        return program(1, known);
    }

    /** The same, but shorter by that factor if they are many. */
    SocketProgram program(int coarseness, Source... known) {
        Ranges addresses = Ranges.of(fingerprints(known, false), MAX_KNOWN_BY_ADDRESS / coarseness);
        Ranges ports = Ranges.of(fingerprints(known, true), MAX_KNOWN / coarseness);
        SocketProgram program = new SocketProgram();
        refuseOddOnes(program);
        program.loadConstant(seed);
        for (int word = 0; word < (ipv6 ? 4 : 1); word++) {
            program.copyToX();
            program.loadWord((ipv6 ? IPV6_SOURCE : IPV4_SOURCE) + word * Integer.BYTES);
            mix(program);
        }
        search(program, addresses);
        program.copyToX();
        program.loadHalf(ipv6 ? IPV6_UDP_SOURCE : IPV4_UDP_SOURCE);
        mix(program);
        search(program, ports);
        sortStrangers(program);
        return program;
    }

    /** Malformed packets: a load beyond the end would make them known. */
    private void refuseOddOnes(SocketProgram program) {
        program.loadLength();
        program.ifNotBelow(Bth.BYTES, 1, 0);
        program.answer(OTHER);
        program.loadByte(ipv6 ? IPV6_NEXT : IP_HEADER);
        program.ifEqual(ipv6 ? UDP : IPV4_WITHOUT_OPTIONS, 1, 0);
        program.answer(OTHER);
    }

    private static void sortStrangers(SocketProgram program) {
        program.loadByte(0);
        program.ifEqual(Opcodes.UD_SEND_ONLY_IMM64, 3, 0);
        program.and(CLASS_MASK);
        program.ifEqual(Opcodes.UD, 1, 0);
        program.answer(OTHER);
        program.answer(NEWCOMER);
    }

    // ---- one number of many

    /** X is what was mixed so far, A the next word. */
    private void mix(SocketProgram program) {
        program.xorX();
        program.multiply(firstFactor);
        program.copyToX();
        program.shiftRight(MIX_SHIFT);
        program.xorX();
        program.multiply(secondFactor);
    }

    private int mix(int before, int word) {
        int mixed = (before ^ word) * firstFactor;
        return (mixed ^ mixed >>> MIX_SHIFT) * secondFactor;
    }

    private int[] fingerprints(Source[] known, boolean withPort) {
        return Arrays.stream(known)
                .filter(source -> source.port() != 0 == withPort)
                .mapToInt(this::fingerprint)
                .toArray();
    }

    private int fingerprint(Source source) {
        int mixed = seed;
        if (ipv6) {
            mixed = mix(mixed, (int) (source.eidHigh() >>> Integer.SIZE));
            mixed = mix(mixed, (int) source.eidHigh());
            mixed = mix(mixed, (int) (source.eidLow() >>> Integer.SIZE));
        }
        mixed = mix(mixed, (int) source.eidLow());
        return source.port() == 0 ? mixed : mix(mixed, source.port());
    }

    // ---- the tree

    /** Ends with {@link #KNOWN} if A lies in one of the ranges; otherwise continues with what is added next. */
    private static void search(SocketProgram program, Ranges ranges) {
        if (ranges.count() > 0) {
            int[] misses = new int[ranges.count()];
            int count = search(program, ranges, 0, ranges.count(), misses, 0);
            for (int i = 0; i < count; i++) {
                program.land(misses[i]);
            }
        }
    }

    /** Returns the number of jumps for sources that were not found. */
    private static int search(SocketProgram program, Ranges ranges, int from, int to, int[] misses, int count) {
        if (to - from <= LEAF) {
            misses[count] = compare(program, ranges, from, to);
            return count + 1;
        }
        int middle = (from + to) >>> 1;
        program.ifNotBelow(ranges.first(middle), 0, 1);
        int right = program.jump();
        int left = search(program, ranges, from, middle, misses, count);
        program.land(right);
        return search(program, ranges, middle, to, misses, left);
    }

    private static int compare(SocketProgram program, Ranges ranges, int from, int to) {
        int left = 0; // instructions up to the jump
        for (int i = from; i < to; i++) {
            left += ranges.isSingle(i) ? 1 : 2;
        }
        for (int i = from; i < to; i++) {
            if (ranges.isSingle(i)) {
                program.ifEqual(ranges.first(i), left, 0);
                left--;
            } else {
                program.ifNotBelow(ranges.first(i), 0, 1);
                program.ifAbove(ranges.last(i), 0, left - 1);
                left -= 2;
            }
        }
        int miss = program.jump();
        program.answer(KNOWN);
        return miss;
    }

    /** Sorted ranges of unsigned numbers. */
    private static final class Ranges {
        private final int[] firsts;
        private final int[] lasts;

        private Ranges(int[] firsts, int[] lasts) {
            this.firsts = firsts;
            this.lasts = lasts;
        }

        /** Numbers as ranges, at most that many: the closest neighbours are merged. */
        static Ranges of(int[] numbers, int max) {
            long[] sorted = Arrays.stream(numbers)
                    .mapToLong(Integer::toUnsignedLong)
                    .sorted()
                    .distinct()
                    .toArray();
            long @Nullable [] gaps = sorted.length <= max ? null : gaps(sorted);
            long widest =
                    gaps == null ? 0 : gaps[gaps.length - max + 1]; // gaps of this width and wider separate ranges
            int[] firsts = new int[sorted.length];
            int[] lasts = new int[sorted.length];
            int count = 0;
            for (int i = 0; i < sorted.length; i++) {
                if (i == 0 || sorted[i] - sorted[i - 1] >= widest && (gaps == null || count < max)) {
                    firsts[count++] = (int) sorted[i];
                }
                lasts[count - 1] = (int) sorted[i];
            }
            return new Ranges(Arrays.copyOf(firsts, count), Arrays.copyOf(lasts, count));
        }

        private static long[] gaps(long[] sorted) {
            long[] gaps = new long[sorted.length - 1];
            for (int i = 0; i < gaps.length; i++) {
                gaps[i] = sorted[i + 1] - sorted[i];
            }
            Arrays.sort(gaps);
            return gaps;
        }

        int count() {
            return firsts.length;
        }

        int first(int range) {
            return firsts[range];
        }

        int last(int range) {
            return lasts[range];
        }

        boolean isSingle(int range) {
            return firsts[range] == lasts[range];
        }
    }
}
