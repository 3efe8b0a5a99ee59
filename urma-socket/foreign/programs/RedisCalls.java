import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Sets and gets values of a Redis server over a java.net.Socket. */
final class RedisCalls {
    private static final int VALUES = 2_000;
    private static final int MOST_BYTES = 64 << 10;
    private static final int TRIES = 100;

    private final DataInputStream in;
    private final OutputStream out;

    private RedisCalls(Socket socket) throws IOException {
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
        out = new BufferedOutputStream(socket.getOutputStream());
    }

    public static void main(String[] arguments) throws Exception {
        try (Socket socket = connect(Integer.parseInt(arguments[0]))) {
            RedisCalls calls = new RedisCalls(socket);
            Random random = new Random(1);
            for (int i = 0; i < VALUES; i++) {
                byte[] value = new byte[random.nextInt(MOST_BYTES)];
                random.nextBytes(value);
                calls.set("key " + i % 100, value);
                if (!Arrays.equals(calls.get("key " + i % 100), value)) {
                    throw new AssertionError("value " + i + " differs");
                }
            }
        }
        System.out.println(VALUES + " values set and read");
    }

    /** The server may have just been started. */
    private static Socket connect(int port) throws Exception {
        for (int i = 1; ; i++) {
            try {
                return new Socket("127.0.0.1", port);
            } catch (ConnectException e) {
                if (i == TRIES) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    private void set(String key, byte[] value) throws IOException {
        send("SET".getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8), value);
        String answer = line();
        if (!answer.equals("+OK")) {
            throw new IOException(answer);
        }
    }

    private byte[] get(String key) throws IOException {
        send("GET".getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8));
        String answer = line();
        if (answer.charAt(0) != '$') {
            throw new IOException(answer);
        }
        byte[] value = in.readNBytes(Integer.parseInt(answer.substring(1)));
        line();
        return value;
    }

    private void send(byte[]... words) throws IOException {
        out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (byte[] word : words) {
            out.write(("$" + word.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            out.write(word);
            out.write("\r\n".getBytes(StandardCharsets.UTF_8));
        }
        out.flush();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.readByte(); c != '\n'; c = in.readByte()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }
}
