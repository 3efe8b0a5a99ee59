import io.helidon.webserver.WebServer;

/** Helidon's server, on virtual threads. */
final class HelidonProgram {
    public static void main(String[] arguments) throws Exception {
        WebServer server = WebServer.builder()
                .host("127.0.0.1")
                .port(0)
                .routing(routing -> routing.post(
                                "/echo", (request, response) -> response.send(request.content().as(byte[].class)))
                        .get("/bytes/{n}", (request, response) -> response.send(
                                Calls.bytes(Calls.length(request.path().path())))))
                .build()
                .start();
        Served.until(server.port(), server::stop);
    }
}
