package io.urma4j.tck;

/** A message channel of the home. */
public interface HomeChannel extends HomeObject {
    /** {@link io.urma4j.MessageChannel#share}. */
    String share();

    /** Waits for the next message, and tells its bytes. */
    byte[] next();

    /** Connects to who shared the line, and sends. */
    void send(String line, byte[] message);
}
