package io.urma4j.peer;

/**
 * Ranges that one {@link Copy} moves, without order among themselves. A range of the host is named by its offset in the memory that
 * goes with the list. Reusable, and of one thread; unchanged until the copy is done.
 */
public final class CopyList {
    private final long[] from;
    private final long[] to;
    private final long[] lengthBytes;
    private int count;
    private long totalBytes;

    /** An empty list. */
    public CopyList(int capacity) {
        from = new long[capacity];
        to = new long[capacity];
        lengthBytes = new long[capacity];
    }

    void clear() {
        count = 0;
        totalBytes = 0;
    }

    boolean isFull() {
        return count == from.length;
    }

    /** Adds a range; the caller has checked it. */
    void add(long fromAddress, long toAddress, long rangeBytes) {
        from[count] = fromAddress;
        to[count] = toAddress;
        lengthBytes[count] = rangeBytes;
        count++;
        totalBytes += rangeBytes;
    }

    /** How many ranges it has. */
    public int count() {
        return count;
    }

    /** Of all ranges. */
    public long totalBytes() {
        return totalBytes;
    }

    /** Where the bytes of a range come from. */
    public long from(int range) {
        return from[range];
    }

    /** Where the bytes of a range go. */
    public long to(int range) {
        return to[range];
    }

    public long lengthBytes(int range) {
        return lengthBytes[range];
    }

    @Override
    public String toString() {
        return count + " ranges, " + totalBytes + " bytes";
    }
}
