import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** The JDK's HttpServer. */
final class HttpProgram {
    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/echo", exchange -> answer(exchange, exchange.getRequestBody().readAllBytes()));
        server.createContext("/bytes", exchange -> answer(exchange, Calls.bytes(Calls.length(exchange.getRequestURI().getPath()))));
        server.start();
        Served.until(server.getAddress().getPort(), () -> server.stop(0));
    }

    private static void answer(HttpExchange exchange, byte[] body) throws IOException {
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
