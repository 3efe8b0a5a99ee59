package io.urma4j.tck;

/** A message channel of the home. */
public interface HomeChannel extends HomeObject {
    /** {@link io.urma4j.MessageChannel#share}. */
    String share();

    /** Waits for the next message, and returns its bytes. */
    byte[] next();

    /** Connects to the channel that shared the line, and sends. */
    void send(String line, byte[] message);

    /** Connects to the channel that shared the line, and sends a message that can be answered. */
    void sendWithReply(String line, byte[] message);

    /** Waits for the next message, answers it with its own bytes in reverse, and returns them. */
    byte[] answerNext();

    /** The same with the first {@code count} messages of a series: message i is {@code payload.bytes(i, lengthBytes)}. */
    void sendSeries(String line, Payload payload, int count, int lengthBytes);

    /** Waits for such a series; returns the number of its first wrong message, or −1. */
    long firstWrong(Payload payload, int count, int lengthBytes);

    /** Ends the channel. */
    void close();
}
