package io.urma4j.bench;

/** Messages one after the other, from one process to another that takes each into memory of its own. */
interface MessageStream {
    /** Sends that number of messages, and waits until all of them were received. */
    void send(int messages);

    /** Tells the other end to leave {@link #takeAll}. */
    void stop();

    /** Takes messages, and looks whether they come in order, until the other end stops. */
    void takeAll();
}
