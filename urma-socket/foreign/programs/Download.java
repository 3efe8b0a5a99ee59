import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The JDK's HttpClient at a server of files. */
final class Download {
    private static final int TIMES = 10;
    private static final int TRIES = 100;

    public static void main(String[] arguments) throws Exception {
        byte[] expected = Files.readAllBytes(Path.of(arguments[1]));
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + arguments[0] + "/file"))
                .GET()
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < TIMES; i++) {
                HttpResponse<byte[]> answer = send(client, request);
                if (!Arrays.equals(answer.body(), expected)) {
                    throw new AssertionError("status " + answer.statusCode() + ", " + answer.body().length + " bytes");
                }
            }
        }
        System.out.println(TIMES + " downloads of " + expected.length + " bytes");
    }

    /** The server may have just been started. */
    private static HttpResponse<byte[]> send(HttpClient client, HttpRequest request) throws Exception {
        for (int i = 1; ; i++) {
            try {
                return client.send(request, BodyHandlers.ofByteArray());
            } catch (ConnectException e) {
                if (i == TRIES) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }
}
