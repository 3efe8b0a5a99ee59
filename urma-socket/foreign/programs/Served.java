import java.io.IOException;

/** A server of one of the programs, in a process of its own: prints its port, and ends with its input. */
final class Served {
    private Served() {}

    /** Its server is up. */
    static void until(int port, AutoCloseable server) throws Exception {
        System.out.println("port " + port);
        awaitEndOfInput();
        server.close();
        System.exit(0); // whatever threads the program has left
    }

    static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // only its end counts
        }
    }
}
