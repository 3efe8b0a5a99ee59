package io.urma4j.tck;

/** A message channel of the home. */
public interface HomeChannel extends HomeObject {
    /** {@link io.urma4j.MessageChannel#share}. */
    String share();

    /** Waits for the next message, and tells its bytes. */
    byte[] next();

    /** Connects to who shared the line, and sends. */
    void send(String line, byte[] message);

    /** The same with the first {@code count} messages of a series: message i is {@code payload.bytes(i, lengthBytes)}. */
    void sendSeries(String line, Payload payload, int count, int lengthBytes);

    /** Waits for such a series; the number of its first message that is another one, or −1. */
    long firstWrong(Payload payload, int count, int lengthBytes);

    /** Ends the channel. */
    void close();
}
