package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One run of a scenario: two ends of a connection, and what each call returned or threw. Ports stand there by name. */
final class ClassicRun implements AutoCloseable {
    static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int PATIENCE_SECONDS = 30;
    private static final Set<String> WAITS = Set.of("accept", "connect0", "park", "poll", "read0", "write0");

    /** What a scenario does. */
    interface Steps {
        void run(ClassicRun run) throws Exception;
    }

    /** What a scenario does with a thread of the given kind. */
    interface ThreadSteps {
        void run(ClassicRun run, Thread.Builder kind) throws Exception;
    }

    interface Action {
        void run() throws Exception;
    }

    /** A call that another thread makes, whose outcome is noted when it is awaited. */
    record Waiting(String what, Thread thread, CompletableFuture<String> outcome) {}

    private final ClassicSockets sockets;
    private final List<String> notes = new ArrayList<>();
    private final Map<Integer, String> ports = new HashMap<>();
    final ClassicSockets.Listener listener;
    final Socket client;
    private Socket server;

    private ClassicRun(ClassicSockets sockets) throws IOException {
        this.sockets = sockets;
        this.listener = sockets.listener();
        this.client = sockets.socket();
    }

    /** What the calls of the scenario returned and threw, in order. */
    static List<String> notesOf(Steps steps, ClassicSockets sockets) throws Exception {
        try (ClassicRun run = new ClassicRun(sockets)) {
            steps.run(run);
            return run.notes;
        }
    }

    ClassicSockets sockets() {
        return sockets;
    }

    Socket server() {
        return server;
    }

    /** Connects the client to the listener. */
    void connect() throws IOException {
        listener.bind(LOOPBACK);
        client.connect(listener.getLocalSocketAddress());
        accepted(listener.accept());
    }

    /** The same, and each end has read a byte of the other, so that only what the scenario sends is unread. */
    void connectAndGreet() throws IOException {
        connect();
        for (Socket[] pair : new Socket[][] {{client, server}, {server, client}}) {
            pair[0].getOutputStream().write('x');
            assertThat(pair[1].getInputStream().read()).isEqualTo('x');
        }
    }

    void accepted(Socket socket) throws IOException {
        server = socket;
        name("L", listener.getLocalPort());
        name("C", client.getLocalPort());
        if (sockets.useRings()) {
            assertThat(client.getOption(UrmaSocketOptions.TRANSPORT)).isEqualTo("shm0");
            assertThat(server.getOption(UrmaSocketOptions.TRANSPORT)).isEqualTo("shm0");
        }
    }

    void name(String name, int port) {
        ports.put(port, name);
    }

    void note(String what, Callable<?> call) {
        notes.add(what + ": " + outcome(call));
    }

    void note(String what, Action action) {
        note(what, () -> {
            action.run();
            return "done";
        });
    }

    private String outcome(Callable<?> call) {
        try {
            return named(String.valueOf(call.call()));
        } catch (Exception e) {
            return named(e.getClass().getName() + ": " + e.getMessage());
        }
    }

    private String named(String text) {
        String named = text;
        for (Map.Entry<Integer, String> port : ports.entrySet()) {
            named = named.replaceAll("(?<!\\d)" + port.getKey() + "(?!\\d)", port.getValue());
        }
        return named;
    }

    /** Starts a call on a platform or a virtual thread, and returns once it waits. */
    Waiting whileWaiting(String what, Thread.Builder kind, Callable<?> call) throws Exception {
        Waiting waiting = start(what, kind, call);
        long began = System.nanoTime();
        while (!isBlocked(waiting.thread()) && !waiting.outcome().isDone()) {
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
            Thread.onSpinWait();
        }
        return waiting;
    }

    Waiting start(String what, Thread.Builder kind, Callable<?> call) {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        Thread thread = kind.start(() -> outcome.complete(outcome(call)));
        return new Waiting(what, thread, outcome);
    }

    /** A platform thread waits in one of these native methods, and in others for a moment; a virtual one is parked. */
    private static boolean isBlocked(Thread thread) {
        if (thread.isVirtual()) {
            return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
        }
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length > 0 && WAITS.contains(frames[0].getMethodName());
    }

    void note(Waiting waiting) throws Exception {
        notes.add(waiting.what() + ": " + waiting.outcome().get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    /** Reads until the bytes are there, or the stream ends. */
    static byte[] read(Socket socket, int length) throws IOException {
        return socket.getInputStream().readNBytes(length);
    }

    /** Waits until {@code length} bytes can be read without waiting. */
    static void awaitAvailable(Socket socket, int length) throws IOException {
        InputStream in = socket.getInputStream();
        long began = System.nanoTime();
        while (in.available() < length) {
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
            Thread.onSpinWait();
        }
    }

    /** Writes until that fails. */
    static void writeForEver(Socket socket) throws IOException {
        OutputStream out = socket.getOutputStream();
        byte[] bytes = new byte[100_000];
        while (true) {
            out.write(bytes);
        }
    }

    /** Runs on a platform thread and on a virtual one, with a new run each. */
    static Steps onBothKindsOfThreads(ThreadSteps steps) {
        return run -> {
            for (boolean isVirtual : new boolean[] {false, true}) {
                Thread.Builder kind =
                        isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
                run.notes.addAll(notesOf(each -> steps.run(each, kind), run.sockets));
            }
        };
    }

    @Override
    public void close() throws IOException {
        client.close();
        listener.close();
        if (server != null) {
            server.close();
        }
    }
}
