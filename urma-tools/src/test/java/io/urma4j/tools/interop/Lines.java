package io.urma4j.tools.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The lines by which the two ends of {@link OneSided} agree. */
final class Lines implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;
    private final OutputStream out;

    private Lines(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        out = socket.getOutputStream();
    }

    /** Waits for the other end. */
    static Lines accept(int port, Duration patience) throws IOException {
        try (ServerSocket listener = new ServerSocket(port)) {
            listener.setSoTimeout((int) patience.toMillis());
            Socket socket = listener.accept();
            socket.setSoTimeout((int) patience.toMillis());
            socket.setTcpNoDelay(true);
            return new Lines(socket);
        }
    }

    void tell(String line) {
        try {
            out.write((line + '\n').getBytes(StandardCharsets.US_ASCII)); // one write, one packet
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String hear() {
        try {
            String line = in.readLine();
            if (line == null) {
                throw new IllegalStateException("the peer went");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a line, and expects "ok". */
    void ask(String line) {
        tell(line);
        String said = hear();
        if (!said.equals("ok")) {
            throw new IllegalStateException("'" + line + "', and the peer says: " + said);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
