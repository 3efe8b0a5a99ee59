package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.Units;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * The conversation of client and server over TCP: lines of text, the first of which names program and version. A thread
 * of its own reads, so that a busy loop only checks two volatile fields to see that the other side has sent a line or
 * ended. One thread writes lines and takes those that arrived.
 *
 * <p>A plain socket, not a channel: an interrupt must not close what is needed to say goodbye.
 */
final class Control implements AutoCloseable {
    static final int VERSION = 1;

    /** From either side, at any time: it cannot continue, with the reason. */
    static final String FAILED = Line.FAILED;

    /** Either side, at any time: its user ended it. */
    static final String STOPPED = "stopped";

    /** The client: no more is to be done. */
    static final String BYE = "bye";

    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String PROGRAM = "urma-perftest";
    private static final Duration GREETING_PATIENCE = Duration.ofSeconds(5);
    private static final int LONGEST_GREETING = 64;
    private static final int LONGEST_LINE = 8 << 20; // the share lines of 4096 Jetties
    private static final int TICK_MILLIS = 100;
    private static final int KEEPALIVE_IDLE_SECONDS = 10;
    private static final int KEEPALIVE_INTERVAL_SECONDS = 5;
    private static final int KEEPALIVE_PROBES = 3;

    private final Socket socket;
    private final String peer;
    private final InputStream in;
    private final OutputStream out;
    private final LinkedBlockingQueue<Line> lines = new LinkedBlockingQueue<>();
    private volatile @Nullable CommandFailure ended;

    private Control(Socket socket, String peer) throws IOException {
        this.socket = socket;
        this.peer = peer;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /**
     * Greets, and reads the other side's greeting.
     *
     * @param peer how messages name it: {@code the server}
     * @throws CommandFailure when it sends another protocol, another version, or nothing
     */
    static Control greet(Socket socket, String peer) throws IOException, InterruptedException {
        return greet(socket, peer, GREETING_PATIENCE);
    }

    static Control greet(Socket socket, String peer, Duration patience) throws IOException, InterruptedException {
        socket.setTcpNoDelay(true);
        keepAlive(socket);
        Control control = new Control(socket, peer);
        control.write(PROGRAM + " " + VERSION);
        control.checkGreeting(control.readGreeting(patience));
        Thread.ofPlatform().daemon().name("control of perftest").start(control::listen);
        return control;
    }

    /**
     * Has the kernel end an idle connection some 25 s after the other host has vanished, which sends no packet. While
     * bytes wait for their acknowledgement, the kernel probes nothing: the retransmission timeout ends it, which takes
     * some 15 minutes.
     */
    private static void keepAlive(Socket socket) throws IOException {
        socket.setKeepAlive(true);
        set(socket, ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
        set(socket, ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_INTERVAL_SECONDS);
        set(socket, ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_PROBES);
    }

    private static void set(Socket socket, SocketOption<Integer> option, int value) throws IOException {
        if (socket.supportedOptions().contains(option)) {
            socket.setOption(option, value);
        }
    }

    private String readGreeting(Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        socket.setSoTimeout(TICK_MILLIS);
        StringBuilder line = new StringBuilder();
        while (line.length() <= LONGEST_GREETING) {
            try {
                int letter = in.read();
                if (letter == '\n' || letter < 0) {
                    break;
                }
                line.append((char) letter);
            } catch (SocketTimeoutException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw new CommandFailure(peer + " did not say in " + Units.time(patience) + " that it is " + PROGRAM
                        + ": it is something else, or busy with another side");
            }
        }
        socket.setSoTimeout(0);
        return line.toString();
    }

    private void checkGreeting(String greeting) {
        if (!greeting.startsWith(PROGRAM + " ")) {
            String shown = greeting.replaceAll("[^ -~]", "?");
            throw new CommandFailure(peer + " is no " + PROGRAM + ": it said '" + shown + "'");
        }
        String version = greeting.substring(PROGRAM.length() + 1).strip();
        if (!version.equals(Integer.toString(VERSION))) {
            throw new CommandFailure(peer + " speaks version " + version.replaceAll("[^ -~]", "?") + " of " + PROGRAM
                    + ", and this is version " + VERSION);
        }
    }

    private void listen() {
        try {
            for (String text = readLine(); text != null; text = readLine()) {
                if (!take(text)) {
                    return;
                }
            }
            end(peer + " closed the control connection");
        } catch (IOException e) {
            end("the connection to " + peer + " broke: " + e.getMessage());
        }
    }

    /** False when no more lines will arrive. */
    private boolean take(String text) {
        Line line = decoded(text);
        switch (line.verb()) {
            case FAILED -> end(peer + ": " + line.values().getOrDefault("message", "failed"));
            case STOPPED -> end(peer + " was stopped by its user");
            case "?" -> end(peer + " sent a line that is not of " + PROGRAM);
            default -> {
                lines.add(line);
                return true;
            }
        }
        return false;
    }

    /** The line, or {@code ?} for a text that this program does not send. */
    private static Line decoded(String text) {
        try {
            Line line = Line.isLine(text) ? Line.decode(text) : Line.of("?");
            return hasControls(line) ? Line.of("?") : line;
        } catch (CommandFailure | IllegalArgumentException e) {
            return Line.of("?");
        }
    }

    /** Whether it holds a control character, which would reach the terminal by a message. */
    private static boolean hasControls(Line line) {
        Stream<String> names = line.values().keySet().stream();
        Stream<String> values = line.values().values().stream();
        return Stream.concat(Stream.of(line.verb()), Stream.concat(names, values))
                .anyMatch(text -> text.chars().anyMatch(Character::isISOControl));
    }

    private @Nullable String readLine() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int letter = in.read(); letter >= 0; letter = in.read()) {
            if (letter == '\n') {
                return line.toString(StandardCharsets.UTF_8);
            }
            if (line.size() == LONGEST_LINE) {
                throw new IOException("a line is longer than " + LONGEST_LINE + " bytes");
            }
            line.write(letter);
        }
        return null;
    }

    private void end(String why) {
        ended = new CommandFailure(why);
    }

    /** Sends a line; a failure is reported by the next read. */
    void say(Line line) {
        try {
            write(line.encode());
        } catch (IOException e) {
            if (ended == null) {
                end("the connection to " + peer + " broke: " + e.getMessage());
            }
        }
    }

    private void write(String text) throws IOException {
        out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Whether an unread line of the other side is here, or the other side has ended; cheap. */
    boolean hasSpoken() {
        return !lines.isEmpty() || ended != null;
    }

    /** Throws when the other side has failed, was stopped, or is gone. */
    void check() {
        CommandFailure why = ended;
        if (why != null && lines.isEmpty()) {
            throw why;
        }
    }

    /** Whether the other side has ended, so that it reads no more lines. */
    boolean isOver() {
        return ended != null;
    }

    /** The next line; waits until the deadline. */
    Line hear(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            Line line = lines.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
            if (line != null) {
                return line;
            }
            check();
            if (System.nanoTime() - deadline > 0) {
                throw new CommandFailure(peer + " sent nothing for " + Units.time(patience));
            }
        }
    }

    /** The next line, which must have this verb. */
    Line hear(String verb) throws InterruptedException {
        Line line = hear(PATIENCE);
        if (!line.verb().equals(verb)) {
            throw new CommandFailure(
                    String.format(Locale.ROOT, "%s said '%s' where '%s' was due", peer, line.verb(), verb));
        }
        return line;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    @Override
    public String toString() {
        return peer + " at " + socket.getRemoteSocketAddress();
    }
}
