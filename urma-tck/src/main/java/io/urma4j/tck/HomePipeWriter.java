package io.urma4j.tck;

/** The writing end of a pipe at the home. */
public interface HomePipeWriter extends HomeObject {
    /** Sends a message. */
    void send(byte[] message);

    /** Sends the first messages of a series. */
    void sendSeries(PipeSeries series, int count);

    /** Ends it. */
    void close();
}
