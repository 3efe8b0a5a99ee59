package io.urma4j.bench;

/** Messages one after the other, from one process to another that takes each into memory of its own. */
interface MessageStream {
    /** Sends that number of messages, and waits until all of them were received. */
    void send(int messages);

    /** Makes the other end return from {@link #takeAll}. */
    void stop();

    /** Receives messages, and checks their order, until the other end stops. */
    void takeAll();
}
