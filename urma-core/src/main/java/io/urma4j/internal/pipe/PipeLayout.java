package io.urma4j.internal.pipe;

/**
 * The bytes of a pipe, which lie at its reader's, in native order:
 *
 * <pre>
 *     0 ┬ format, so that no other segment is taken for a pipe
 *     8 ┼ claim: 0, or 1 once there is a writer
 *    16 ┼ capacity: how many bytes of frames there are, a power of two
 *    64 ┼ asleep: 1 while the reader wants to be woken; it raises the flag, and the writer lowers it when it wakes
 *   128 ┼ taken: how many of them, in all, the reader is done with
 *   256 ┼ frames, each from the start of a cache line:
 *       │   word: kind and length; 0 as long as there is no frame
 *       │   the message: behind the word if it fits into its line, else from the next line on
 *       ┼ behind the last frame: length of the line of the JFR that takes wake-ups, 0 as long as the reader has none
 *       └   the line, in ASCII; at the very end room for what a wake-up that keeps no rules brings
 * </pre>
 *
 * <p>The flag has a line of its own, which is not written while the reader is awake: the look at it after each frame
 * stays within the writer's cache.
 *
 * <p>The word behind a frame is 0 before the frame's own word is stored, with release; so the reader, which knows where the
 * next frame begins, needs to look at that word alone. The line of a word is written in one go: the reader has a copy of
 * it, and a line that is written twice moves twice.
 *
 * <p>A frame is never cut in two: where the rest is too short, a word of kind TURN says that the next frame is the first
 * one again.
 */
public final class PipeLayout {
    /** Value of the first word; the last digit is the layout's version. */
    static final long FORMAT = 0x7572_6d61_5069_7031L;

    static final long FORMAT_AT = 0;
    public static final long CLAIM_AT = 8;
    static final long CAPACITY_AT = 16;
    static final long ASLEEP_AT = 64;
    public static final long TAKEN_AT = 128;
    public static final long FRAMES_AT = 256;

    static final int LINE_BYTES = 64;
    static final int WORD_BYTES = Long.BYTES;

    /** Behind a frame there is as much room, at least: for words that are made 0 before they are needed. */
    public static final int AHEAD_BYTES = 4 * LINE_BYTES;

    /** Of the line for wake-ups. */
    static final int MAX_LINE_BYTES = 1000;

    private static final int TAIL_BYTES = 1024;

    static final int MIN_CAPACITY = 4096;
    static final int MAX_CAPACITY = 1 << 30;

    private static final int KIND_SHIFT = 32;
    private static final long MESSAGE = 1L << KIND_SHIFT;

    /** The next frame is the first one. */
    public static final long TURN = 2L << KIND_SHIFT;

    /** There is no next frame: the writer has closed. */
    public static final long END = 3L << KIND_SHIFT;

    private PipeLayout() {}

    static boolean isCapacity(long bytes) {
        return Long.bitCount(bytes) == 1 && bytes >= MIN_CAPACITY && bytes <= MAX_CAPACITY;
    }

    /** What every pipe has. */
    static long segmentBytes(int capacityBytes) {
        return FRAMES_AT + capacityBytes;
    }

    /** The same, and what a reader that sleeps needs. */
    static long readerBytes(int capacityBytes) {
        return segmentBytes(capacityBytes) + TAIL_BYTES;
    }

    static long lineAt(int capacityBytes) {
        return segmentBytes(capacityBytes);
    }

    static long wakeUpAt(int capacityBytes) {
        return readerBytes(capacityBytes) - WORD_BYTES;
    }

    /** Longest message: one for which there is room wherever the writer stands, when all is taken. */
    public static int maxMessageBytes(int capacityBytes) {
        return capacityBytes / 2 - AHEAD_BYTES - LINE_BYTES;
    }

    /** Where a message is, counted from its word. */
    public static int messageAt(int lengthBytes) {
        return lengthBytes <= LINE_BYTES - WORD_BYTES ? WORD_BYTES : LINE_BYTES;
    }

    public static long frameBytes(int lengthBytes) {
        return messageAt(lengthBytes) + (long) lengthBytes + LINE_BYTES - 1 & -LINE_BYTES;
    }

    static long message(int lengthBytes) {
        return MESSAGE | lengthBytes;
    }

    public static boolean isMessage(long word) {
        return word >>> KIND_SHIFT == MESSAGE >>> KIND_SHIFT;
    }

    /** Of a message; negative only when its writer is none of ours. */
    public static int lengthBytes(long word) {
        return (int) word;
    }
}
