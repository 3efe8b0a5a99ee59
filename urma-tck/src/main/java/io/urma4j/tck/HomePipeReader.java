package io.urma4j.tck;

/** The reading end of a pipe at the home. */
public interface HomePipeReader extends HomeObject {
    /** {@link io.urma4j.PipeReader#share}. */
    String share();

    /** Waits for the next message, and returns its bytes. */
    byte[] next();

    /** Waits for such a series; returns the number of its first wrong message, or −1. */
    long firstWrong(PipeSeries series, int count);

    /** Waits until the writer has closed the pipe; false when there was a message instead. */
    boolean ends();

    /** Ends it. */
    void close();
}
