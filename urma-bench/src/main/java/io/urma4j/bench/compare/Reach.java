package io.urma4j.bench.compare;

/** What is between the two processes. */
public enum Reach {
    /** Memory that they share. */
    MEMORY("shm"),
    /** The loopback interface. */
    NETWORK("udma"),
    /** Blocking channels of the JDK, over whatever connects them. */
    SOCKETS("sockets"),
    /** Netty's pipeline, over whatever connects its channels. */
    NETTY("Netty"),
    /** The same; the home's process has the JDK's own channels alone. */
    FOREIGN("Netty, foreign peer"),
    /** Blocking channels; the leader's process has the JDK's own alone, and connects. */
    FOREIGN_CLIENT("sockets, foreign client"),
    /** gRPC, over whatever connects its channels. */
    GRPC("gRPC");

    private final String words;

    Reach(String words) {
        this.words = words;
    }

    /** For the table. */
    String words() {
        return words;
    }
}
