package io.urma4j.tck;

/** A message channel of the home. */
public interface HomeChannel extends HomeObject {
    /** {@link io.urma4j.MessageChannel#share}. */
    String share();

    /** Waits for the next message, and tells its bytes. */
    byte[] next();

    /** Connects to who shared the line, and sends. */
    void send(String line, byte[] message);

    /** Connects to who shared the line, and sends what can be answered. */
    void sendWithReply(String line, byte[] message);

    /** Waits for the next message, answers it with its own bytes in reverse, and tells them. */
    byte[] answerNext();

    /** The same with the first {@code count} messages of a series: message i is {@code payload.bytes(i, lengthBytes)}. */
    void sendSeries(String line, Payload payload, int count, int lengthBytes);

    /** Waits for such a series; the number of its first message that is another one, or −1. */
    long firstWrong(Payload payload, int count, int lengthBytes);

    /** Ends the channel. */
    void close();
}
