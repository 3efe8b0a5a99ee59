package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that know nothing of the provider, which a property names. */
@Timeout(120)
class PropertyTest {
    private static final String NAMES = "-Djava.nio.channels.spi.SelectorProvider=";
    private static final String PROPERTY = NAMES + UrmaSelectorProvider.class.getName();
    private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
    private static final int REQUESTS = 200;

    /** A server and a client of the JDK; prints the class of a channel, and how many answers were right. */
    static final class Web {
        public static void main(String[] arguments) throws Exception {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                byte[] body = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                    HttpClient client = HttpClient.newHttpClient()) {
                server.setExecutor(threads);
                server.start();
                URI address =
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
                int right = 0;
                for (int i = 0; i < REQUESTS; i++) {
                    String body = "x".repeat(i * 100);
                    HttpRequest request = HttpRequest.newBuilder(address)
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build();
                    right += client.send(request, HttpResponse.BodyHandlers.ofString())
                                    .body()
                                    .equals(body)
                            ? 1
                            : 0;
                }
                System.out.println(right + " right");
            } finally {
                server.stop(0);
            }
            try (SocketChannel channel = SocketChannel.open()) {
                System.out.println(channel.getClass().getName());
            }
        }
    }

    /** A provider of another library, which the JDK makes while it has none yet. */
    public static final class Around extends ForwardingProvider {
        public Around() {
            super(new UrmaSelectorProvider());
        }
    }

    @TempDir
    private Path directory;

    @Test
    void theServerAndTheClientOfTheJdkWork() throws Exception {
        Ended ended = Ended.java(Web.class, directory, EXPORT, PROPERTY);

        assertThat(ended.output()).contains(REQUESTS + " right").contains(UrmaSocketChannel.class.getName());
        assertThat(ended.code()).isZero();
    }

    @Test
    void withoutTheExportOneLineNamesTheOption() throws Exception {
        Ended ended = Ended.java(Web.class, directory, PROPERTY);

        assertThat(ended.code()).isNotZero();
        assertThat(ended.output()).contains("start java with --add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }

    @Test
    void aProviderOfAnotherLibraryCanBeAroundOurs() throws Exception {
        Ended ended = Ended.java(Web.class, directory, EXPORT, NAMES + Around.class.getName());

        assertThat(ended.output()).contains(REQUESTS + " right").contains(UrmaSocketChannel.class.getName());
        assertThat(ended.code()).isZero();
    }

    @Test
    void aProviderAroundOursNeedsTheExportToo() throws Exception {
        Ended ended = Ended.java(Web.class, directory, NAMES + Around.class.getName());

        assertThat(ended.code()).isNotZero();
        assertThat(ended.output()).contains("start java with --add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }
}
