package io.urma4j.socket.peering;

/** The answers to hosts that ask for one listener, until it is closed. */
@FunctionalInterface
interface Answers extends AutoCloseable {
    /** No host is answered any more. */
    @Override
    void close();
}
