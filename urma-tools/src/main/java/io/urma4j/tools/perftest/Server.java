package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.CompilerThreads;
import io.urma4j.tools.Line;
import io.urma4j.tools.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** The side that waits for a client, and follows it. */
final class Server implements AutoCloseable {
    /** From the client: its options. */
    static final String SETTINGS = "settings";

    /** From the server: the settings of both. */
    static final String AGREED = "agreed";

    private static final int TICK_MILLIS = 100;
    private static final Duration COMPILER_PATIENCE = Duration.ofSeconds(2);

    private final ServerSocket socket;

    private Server(ServerSocket socket) {
        this.socket = socket;
    }

    /** Listens on a port, 0 for any; for this host only, or for all hosts. */
    static Server listen(int port, boolean forThisHost) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            InetAddress address = forThisHost ? InetAddress.getLoopbackAddress() : null;
            socket.bind(new InetSocketAddress(address, port));
            socket.setSoTimeout(TICK_MILLIS);
            return new Server(socket);
        } catch (BindException e) {
            socket.close();
            throw new CommandFailure(
                    "port " + port + " is not available: " + e.getMessage() + "; --port selects another", e);
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Waits for a client. Reports any other connection on {@code err}, and closes it. */
    Control accept(PrintWriter err) throws IOException, InterruptedException {
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                Socket client = socket.accept();
                try {
                    return Control.greet(client, "the client");
                } catch (CommandFailure | IOException e) {
                    client.close();
                    err.println("urma: rejected " + client.getInetAddress().getHostAddress() + ": " + e.getMessage());
                    err.flush();
                } catch (InterruptedException e) {
                    client.close();
                    throw e;
                }
            } catch (SocketTimeoutException e) {
                // looks up
            }
        }
    }

    /** Serves the client's requests until it ends the run. */
    static void follow(Control control, Settings own, Session session) throws InterruptedException {
        Settings settings =
                Agreement.of(own, new Settings(control.hear(SETTINGS).values()));
        Clashes.check(settings);
        Line agreed = Line.of(AGREED);
        settings.given().forEach(agreed::with);
        control.say(agreed);
        Side side = new Side(session, settings, control, false);
        side.meet();
        Phase phase = new Phase(0, 0, null, 0);
        while (true) {
            Line request = control.hear(Control.PATIENCE);
            switch (request.verb()) {
                case Phase.VERB -> {
                    phase = Phase.of(request);
                    side.prepare(phase);
                    control.say(Line.of("ready"));
                    boolean timed = request.text("timed").equals("true");
                    side.follow(phase, timed);
                    if (!timed) {
                        CompilerThreads.own().awaitRest(COMPILER_PATIENCE); // the client waits for our next "ready"
                    }
                }
                case "check" -> {
                    side.check(phase);
                    control.say(Line.of("checked"));
                }
                case Control.BYE -> {
                    return;
                }
                default -> throw new CommandFailure("the client asked for '" + request.verb() + "'");
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
