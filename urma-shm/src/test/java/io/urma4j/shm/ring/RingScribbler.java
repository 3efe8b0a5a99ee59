package io.urma4j.shm.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Writes into message rings what no honest end of them would. */
public final class RingScribbler {
    private static final int ASLEEP = 128;
    private static final int RESULTS = 256;
    private static final int FIRST_SLOT = RESULTS + 8 * RingLayout.SLOTS;
    private static final int DATA = 143_360;

    private final MemorySegment ring;
    private long position;

    public RingScribbler(MemorySegment ring) {
        this.ring = ring;
    }

    /** The slot that {@link #publish} fills next. */
    public long position() {
        return position;
    }

    /** Hands over a slot that says just this. */
    public void publish(
            int opcode, int flags, int source, int target, int chunkBytes, long immediate, long total, long dataAt) {
        RingLayout.fill(ring, position, source, target, chunkBytes, immediate, total, dataAt);
        RingLayout.commit(ring, position++, opcode, flags);
    }

    /** The answer to the slot at that position, or 0 while there is none. */
    public int answerTo(long asked) {
        long word = RingLayout.answered(ring, asked);
        return RingLayout.isOfLap(word, asked) ? RingLayout.answerOf(word) : 0;
    }

    /** What the slot at that position says, or −1 while it is not filled. */
    public int opcodeAt(long asked) {
        long word = RingLayout.committed(ring, asked);
        return RingLayout.isOfLap(word, asked) ? RingLayout.opcode(word) : -1;
    }

    /** The flags of the slot at that position, whatever its form. */
    public int flagsAt(long asked) {
        return RingLayout.flags(RingLayout.committed(ring, asked)) & ~SlotFlags.SHORT;
    }

    /** Answers the slot at that position, whether it was filled or not. */
    public void answer(long asked, int answer, int argument) {
        RingLayout.answer(ring, asked, answer, argument);
    }

    /** Spoils some bytes, most of the time such as mean something. */
    public void scribble(SplittableRandom random, long around) {
        switch (random.nextInt(8)) {
            case 0 -> ring.set(JAVA_INT, ASLEEP, random.nextInt(-2, 3));
            case 1 -> ring.set(JAVA_LONG, RESULTS + 8L * random.nextInt(RingLayout.SLOTS), random.nextLong());
            case 2 -> ring.set(JAVA_LONG, slotNear(random, around), likeCommit(random, around));
            case 3 -> ring.set(JAVA_INT, slotNear(random, around) + field(random), number(random));
            case 4 -> ring.set(JAVA_LONG, slotNear(random, around) + 8L * random.nextInt(1, 16), random.nextLong());
            case 5 -> ring.set(JAVA_LONG, 8L * random.nextInt(FIRST_SLOT / 8), random.nextLong());
            case 6 -> fill(random, DATA, RingLayout.DATA_BYTES);
            default -> fill(random, 0, (int) RingLayout.BYTES);
        }
    }

    private static long slotNear(SplittableRandom random, long around) {
        long slot = around + random.nextInt(-2, 4) & RingLayout.SLOTS - 1;
        return FIRST_SLOT + 128 * slot;
    }

    /** Where a number lies in a slot: the queues, or what is behind the payload. */
    private static long field(SplittableRandom random) {
        int word = random.nextInt(10);
        return (word < 2 ? 8 : 88) + 4L * word;
    }

    private static long likeCommit(SplittableRandom random, long around) {
        long lap = random.nextInt(4) == 0 ? random.nextInt() : RingLayout.lap(around);
        return lap & 0xFFFF_FFFFL | (long) random.nextInt(1 << 24) << 32;
    }

    /** A number from where mistakes live. */
    public static int number(SplittableRandom random) {
        return switch (random.nextInt(7)) {
            case 0 -> random.nextInt();
            case 1 -> -random.nextInt(1, 200);
            case 2 -> Integer.MAX_VALUE - random.nextInt(3);
            case 3 -> (1 << random.nextInt(31)) + random.nextInt(-1, 2);
            default -> random.nextInt(200);
        };
    }

    private void fill(SplittableRandom random, long start, int lengthBytes) {
        int length = 1 << random.nextInt(8);
        long at = start + random.nextInt(lengthBytes - length);
        for (int i = 0; i < length; i++) {
            ring.set(JAVA_BYTE, at + i, (byte) random.nextInt());
        }
    }
}
