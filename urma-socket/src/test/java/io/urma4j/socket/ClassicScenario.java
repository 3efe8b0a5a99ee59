package io.urma4j.socket;

import static io.urma4j.socket.ClassicRun.LOOPBACK;

import io.urma4j.socket.ClassicRun.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** What programs do with sockets, the odd cases first. */
enum ClassicScenario {
    ECHO(ClassicScenario::echo),
    HALF_CLOSE(ClassicScenario::halfClose),
    SHUT_INPUT(ClassicScenario::shutInput),
    END(ClassicScenario::end),
    RESET_ON_UNREAD_BYTES(ClassicScenario::resetOnUnreadBytes),
    RESET_BY_LINGER(ClassicScenario::resetByLinger),
    WRITES_AFTER_THE_PEERS_CLOSE(ClassicScenario::writesAfterThePeersClose),
    READ_TIMEOUT(ClassicRun.onBothKindsOfThreads(ClassicScenario::readTimeout)),
    ACCEPT_TIMEOUT(ClassicRun.onBothKindsOfThreads(ClassicScenario::acceptTimeout)),
    REFUSED(ClassicScenario::refused),
    CONNECT_TIMEOUT(ClassicWaits::connectTimeout),
    CLOSE_IN_CONNECT(ClassicRun.onBothKindsOfThreads(ClassicWaits::closeInConnect)),
    CLOSE_IN_READ(ClassicRun.onBothKindsOfThreads(ClassicWaits::closeInRead)),
    CLOSE_IN_TIMED_READ(ClassicRun.onBothKindsOfThreads(ClassicWaits::closeInTimedRead)),
    CLOSE_IN_WRITE(ClassicRun.onBothKindsOfThreads(ClassicWaits::closeInWrite)),
    CLOSE_IN_ACCEPT(ClassicRun.onBothKindsOfThreads(ClassicWaits::closeInAccept)),
    SHUT_INPUT_IN_READ(ClassicRun.onBothKindsOfThreads(ClassicWaits::shutInputInRead)),
    OPTIONS(ClassicOptions::ofSockets),
    LISTENER_OPTIONS(ClassicOptions::ofListeners),
    AVAILABLE(ClassicScenario::available),
    NAMES(ClassicScenario::names),
    STATES(ClassicScenario::states),
    LISTENER_STATES(ClassicScenario::listenerStates),
    CLOSED(ClassicScenario::closed),
    STREAMS_CLOSE_THE_SOCKET(ClassicScenario::streamsCloseTheSocket),
    BOUND_CLIENT(ClassicScenario::boundClient),
    ANY_ADDRESS(ClassicScenario::anyAddress),
    ACCEPT_INTO_A_SOCKET_WITH_A_TIMEOUT(ClassicScenario::acceptIntoASocketWithATimeout),
    INTERRUPTED_BEFORE(ClassicScenario::interruptedBefore),
    VIRTUAL_INTERRUPTED_IN_READ(ClassicWaits::virtualInterruptedInRead),
    VIRTUAL_INTERRUPTED_IN_ACCEPT(ClassicWaits::virtualInterruptedInAccept);

    @SuppressWarnings("ImmutableEnumChecker") // no state, which the type cannot say
    private final ClassicRun.Steps steps;

    ClassicScenario(ClassicRun.Steps steps) {
        this.steps = steps;
    }

    List<String> notesOn(ClassicSockets sockets) throws Exception {
        return ClassicRun.notesOf(steps, sockets);
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 >> 3);
        }
        return bytes;
    }

    private static String text(Socket socket, int length) throws IOException {
        return new String(ClassicRun.read(socket, length), StandardCharsets.US_ASCII);
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void echo(ClassicRun run) throws Exception {
        run.connect();
        byte[] sent = bytes(300_000);
        Waiting writing = run.start("write", Thread.ofVirtual(), () -> {
            run.client.getOutputStream().write(sent);
            return "all";
        });
        Waiting answering = run.start(
                "answer",
                Thread.ofVirtual(),
                () -> run.server().getInputStream().transferTo(run.server().getOutputStream()));
        run.note("same", () -> Arrays.equals(ClassicRun.read(run.client, sent.length), sent));
        run.note(writing);
        run.client.shutdownOutput();
        run.note(answering);
        run.note("nothing", () -> run.client.getInputStream().read(new byte[0]));
    }

    private static void halfClose(ClassicRun run) throws Exception {
        run.connect();
        OutputStream out = run.client.getOutputStream();
        say(run.client, "question");
        run.note("shut", run.client::shutdownOutput);
        run.note("again", run.client::shutdownOutput);
        run.note("is shut", run.client::isOutputShutdown);
        run.note("write", () -> out.write(1));
        run.note("stream", run.client::getOutputStream);
        run.note("question", () -> text(run.server(), 100));
        run.note("end", () -> run.server().getInputStream().read());
        say(run.server(), "answer");
        run.server().close();
        run.note("answer", () -> text(run.client, 100));
        run.note("is closed", run.client::isClosed);
    }

    private static void shutInput(ClassicRun run) throws Exception {
        run.connect();
        InputStream in = run.client.getInputStream();
        run.note("shut", run.client::shutdownInput);
        run.note("again", run.client::shutdownInput);
        run.note("is shut", run.client::isInputShutdown);
        run.note("read", () -> in.read());
        run.note("available", in::available);
        run.note("stream", run.client::getInputStream);
        say(run.client, "still");
        run.note("written", () -> text(run.server(), 5));
        run.client.shutdownOutput();
        run.note("end", () -> run.server().getInputStream().read());
    }

    private static void end(ClassicRun run) throws Exception {
        run.connect();
        InputStream in = run.client.getInputStream();
        say(run.server(), "bye");
        run.server().close();
        run.note("bytes", () -> text(run.client, 3));
        run.note("end", () -> in.read());
        run.note("end again", () -> in.read(new byte[10]));
        run.note("available", in::available);
        run.client.close();
        run.note("end of the closed", () -> in.read());
        run.note("available of the closed", in::available);
    }

    private static void resetOnUnreadBytes(ClassicRun run) throws Exception {
        run.connect();
        say(run.client, "unread");
        ClassicRun.awaitAvailable(run.server(), 6);
        say(run.server(), "bye");
        run.server().close();
        run.note("bytes", () -> text(run.client, 3));
        run.note("end", () -> run.client.getInputStream().read());
        run.note("write", () -> say(run.client, "x"));
        run.note("write again", () -> say(run.client, "x"));
    }

    private static void resetByLinger(ClassicRun run) throws Exception {
        run.connect();
        run.server().setSoLinger(true, 0);
        run.server().close();
        run.note("read", () -> run.client.getInputStream().read());
        run.note("read again", () -> run.client.getInputStream().read());
        run.note("write", () -> say(run.client, "x"));
        run.note("is closed", run.client::isClosed);
        run.note("close", run.client::close);
    }

    private static void writesAfterThePeersClose(ClassicRun run) throws Exception {
        run.connect();
        run.server().close();
        run.note("end", () -> run.client.getInputStream().read());
        run.note("first", () -> say(run.client, "x"));
        run.note("more", () -> ClassicRun.writeForEver(run.client));
    }

    private static void readTimeout(ClassicRun run, Thread.Builder kind) throws Exception {
        run.connect();
        run.client.setSoTimeout(20);
        for (int i = 0; i < 2; i++) {
            run.note(run.start("read", kind, () -> run.client.getInputStream().read()));
        }
        run.note("is closed", run.client::isClosed);
        say(run.server(), "late");
        run.client.setSoTimeout(0);
        run.note(run.start("then", kind, () -> text(run.client, 4)));
    }

    private static void acceptTimeout(ClassicRun run, Thread.Builder kind) throws Exception {
        run.listener.bind(LOOPBACK);
        run.listener.setSoTimeout(20);
        run.note(run.start("accept", kind, run.listener::accept));
        run.note("is closed", run.listener::isClosed);
        run.note("timeout", run.listener::getSoTimeout);
        run.client.connect(run.listener.getLocalSocketAddress());
        run.listener.setSoTimeout(0);
        run.accepted(run.listener.accept());
        run.note("then", () -> run.server().getSoTimeout());
    }

    private static void refused(ClassicRun run) throws Exception {
        run.listener.bind(LOOPBACK);
        InetSocketAddress vacant = (InetSocketAddress) run.listener.getLocalSocketAddress();
        run.name("V", vacant.getPort());
        run.listener.close();
        run.note("connect", () -> run.client.connect(vacant));
        run.note("is closed", run.client::isClosed);
        run.note("is connected", run.client::isConnected);
        run.note("connect again", () -> run.client.connect(vacant));
        run.note("text", run.client::toString);
        Socket timed = run.sockets().socket();
        run.note("connect with a timeout", () -> timed.connect(vacant, 10_000));
        Socket unresolved = run.sockets().socket();
        run.note("unresolved", () -> unresolved.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 80)));
        run.note("is closed", unresolved::isClosed);
    }

    private static void available(ClassicRun run) throws Exception {
        run.connect();
        run.note("none", () -> run.client.getInputStream().available());
        say(run.server(), "hello");
        ClassicRun.awaitAvailable(run.client, 5);
        run.note("five", () -> run.client.getInputStream().available());
        run.note("skip", () -> run.client.getInputStream().skip(2));
        run.note("three", () -> run.client.getInputStream().available());
    }

    private static void name(ClassicRun run, String when, Socket socket) {
        run.note(when, socket::toString);
        run.note("address", socket::getInetAddress);
        run.note("local address", socket::getLocalAddress);
        run.note("port", socket::getPort);
        run.note("local port", socket::getLocalPort);
        run.note("remote", socket::getRemoteSocketAddress);
        run.note("local", socket::getLocalSocketAddress);
        run.note("flags", () -> "" + socket.isBound() + socket.isConnected() + socket.isClosed());
        run.note("channel", socket::getChannel);
    }

    private static void name(ClassicRun run, String when, ServerSocket socket) {
        run.note(when, socket::toString);
        run.note("address", socket::getInetAddress);
        run.note("local port", socket::getLocalPort);
        run.note("local", socket::getLocalSocketAddress);
        run.note("flags", () -> "" + socket.isBound() + socket.isClosed());
        run.note("channel", socket::getChannel);
    }

    private static void names(ClassicRun run) throws Exception {
        name(run, "listener", run.listener);
        name(run, "client", run.client);
        run.connect();
        name(run, "bound listener", run.listener);
        name(run, "connected client", run.client);
        name(run, "server", run.server());
        run.client.close();
        run.server().close();
        run.listener.close();
        name(run, "closed listener", run.listener);
        name(run, "closed client", run.client);
        name(run, "closed server", run.server());
    }

    private static void states(ClassicRun run) throws Exception {
        run.note("input of the unconnected", run.client::getInputStream);
        run.note("output of the unconnected", run.client::getOutputStream);
        run.note("shut the unconnected", run.client::shutdownOutput);
        run.note("urgent of the unconnected", () -> run.client.sendUrgentData(1));
        run.note("bind", () -> run.client.bind(LOOPBACK));
        run.note("bind again", () -> run.client.bind(LOOPBACK));
        run.connect();
        run.note("connect again", () -> run.client.connect(run.listener.getLocalSocketAddress()));
        run.note("bind late", () -> run.server().bind(LOOPBACK));
        run.note("negative timeout", () -> run.client.setSoTimeout(-1));
    }

    private static void listenerStates(ClassicRun run) throws Exception {
        run.note("accept unbound", run.listener::accept);
        run.connect();
        run.note("bind again", () -> run.listener.bind(LOOPBACK));
        ServerSocket second = run.sockets().listener();
        run.note("used port", () -> second.bind(run.listener.getLocalSocketAddress()));
        run.note("then another", () -> second.bind(LOOPBACK));
        run.note("is bound", second::isBound);
        second.close();
        run.note("unresolved", () -> run.sockets().listener().bind(InetSocketAddress.createUnresolved("x", 0)));
        run.note("used port of a socket", () -> run.sockets().socket().bind(run.listener.getLocalSocketAddress()));
    }

    private static void closed(ClassicRun run) throws Exception {
        run.connect();
        OutputStream out = run.client.getOutputStream();
        run.client.close();
        run.note("close again", run.client::close);
        run.note("write", () -> out.write(1));
        run.note("nothing", () -> out.write(new byte[0]));
        run.note("input", run.client::getInputStream);
        run.note("shut", run.client::shutdownInput);
        run.note("no delay", run.client::getTcpNoDelay);
        run.note("urgent", () -> run.client.sendUrgentData(1));
        run.note("traffic class", run.client::getTrafficClass);
        run.listener.close();
        run.note("close the listener again", run.listener::close);
        run.note("accept", run.listener::accept);
        run.note("timeout", run.listener::getSoTimeout);
        Socket unused = run.sockets().socket();
        unused.close();
        run.note("connect", () -> unused.connect(LOOPBACK));
    }

    private static void streamsCloseTheSocket(ClassicRun run) throws Exception {
        run.connect();
        run.note("close", run.client.getInputStream()::close);
        run.note("is closed", run.client::isClosed);
        run.note("end", () -> run.server().getInputStream().read());
        run.note("close the other", run.server().getOutputStream()::close);
        run.note("is closed", run.server()::isClosed);
    }

    private static void boundClient(ClassicRun run) throws Exception {
        run.client.bind(LOOPBACK);
        int port = run.client.getLocalPort();
        run.connect();
        run.note("kept", () -> run.client.getLocalPort() == port);
        run.note("seen", () -> run.server().getPort() == port);
    }

    private static void anyAddress(ClassicRun run) throws Exception {
        run.listener.bind(null);
        run.name("L", run.listener.getLocalPort());
        run.note("listener", run.listener::toString);
        run.client.connect(new InetSocketAddress(run.listener.getLocalPort()), 10_000);
        run.accepted(run.listener.accept());
        run.note("client", run.client::toString);
        run.note("local address", run.client::getLocalAddress);
        run.note("server", () -> run.server().getLocalAddress());
    }

    private static void acceptIntoASocketWithATimeout(ClassicRun run) throws Exception {
        run.listener.bind(LOOPBACK);
        run.client.connect(run.listener.getLocalSocketAddress());
        Socket accepting = run.sockets().socket();
        accepting.setSoTimeout(20);
        run.accepted(run.listener.acceptInto(accepting));
        run.note("timeout", accepting::getSoTimeout);
        run.note("read", () -> accepting.getInputStream().read());
        run.note(
                "again", () -> run.sockets().listener().acceptInto(run.sockets().socket()));
    }

    private static void interruptedBefore(ClassicRun run) throws Exception {
        run.listener.bind(LOOPBACK);
        Thread.currentThread().interrupt();
        run.note("connect", () -> run.client.connect(run.listener.getLocalSocketAddress()));
        run.note("accept", () -> run.accepted(run.listener.accept()));
        run.note("write", () -> say(run.client, "x"));
        run.note("read", () -> text(run.server(), 1));
        run.note("available", () -> run.server().getInputStream().available());
        run.note("shut", run.client::shutdownOutput);
        run.note("end", () -> run.server().getInputStream().read());
        run.note("close", run.server()::close);
        run.note("peer", () -> run.client.getInputStream().read());
        run.note("interrupted", Thread::interrupted);
    }
}
