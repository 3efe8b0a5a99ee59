import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The JDK's HttpClient at a server that echoes what is posted to /echo, and serves /bytes/N. Each byte is verified. */
final class Calls {
    private static final int THREADS = 8;
    private static final int ECHOES = 100; // of each thread
    private static final int MOST_BYTES = 64 << 10;
    private static final int LONG_BYTES = 16 << 20;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI root;

    private Calls(int port) {
        this.root = URI.create("http://127.0.0.1:" + port);
    }

    public static void main(String[] arguments) throws Exception {
        Calls calls = new Calls(Integer.parseInt(arguments[0]));
        calls.download(LONG_BYTES);
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                all.add(threads.submit(() -> {
                    for (int n = 0; n < ECHOES; n++) {
                        calls.echo(random);
                    }
                    return null;
                }));
            }
        }
        for (Future<?> one : all) {
            one.get();
        }
        System.out.println(THREADS * ECHOES + " echoes, " + (LONG_BYTES >> 20) + " MiB downloaded");
        System.exit(0);
    }

    /** What a server returns for /bytes/N. */
    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** The N of such a path. */
    static int length(String path) {
        return Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(root.resolve(path)).timeout(Duration.ofSeconds(60));
    }

    private void echo(Random random) throws Exception {
        byte[] sent = new byte[random.nextInt(MOST_BYTES)];
        random.nextBytes(sent);
        HttpResponse<byte[]> answer =
                client.send(request("/echo").POST(BodyPublishers.ofByteArray(sent)).build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200 || !Arrays.equals(answer.body(), sent)) {
            throw new AssertionError("an echo of " + sent.length + " bytes: status " + answer.statusCode() + ", "
                    + answer.body().length + " bytes");
        }
    }

    private void download(int length) throws Exception {
        HttpResponse<InputStream> answer =
                client.send(request("/bytes/" + length).GET().build(), BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (!Arrays.equals(body.readAllBytes(), bytes(length))) {
                throw new AssertionError("a download of " + length + " bytes differs");
            }
        }
    }
}
