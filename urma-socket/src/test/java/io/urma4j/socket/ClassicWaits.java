package io.urma4j.socket;

import static io.urma4j.socket.ClassicRun.LOOPBACK;

import io.urma4j.socket.ClassicRun.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** Ends calls of sockets that wait: by a timeout, a close, a shut-down or an interrupt. */
final class ClassicWaits {
    private ClassicWaits() {}

    /** Connections of the JDK fill the backlog of a listener that does not accept; then the kernel answers no more. */
    private static List<Socket> fill(ServerSocket full) throws IOException {
        List<Socket> filling = new ArrayList<>();
        while (filling.size() < 10) {
            Socket next = new Socket();
            try {
                next.connect(full.getLocalSocketAddress(), 200);
                filling.add(next);
            } catch (SocketTimeoutException e) {
                return filling;
            }
        }
        throw new SocketException("a backlog of one takes ten connections");
    }

    static void connectTimeout(ClassicRun run) throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> filling = fill(full);
            run.note("connect", () -> run.client.connect(full.getLocalSocketAddress(), 50));
            run.note("is closed", run.client::isClosed);
            for (Socket socket : filling) {
                socket.close();
            }
        }
    }

    static void closeInConnect(ClassicRun run, Thread.Builder kind) throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> filling = fill(full);
            Waiting waiting = run.whileWaiting("connect", kind, () -> {
                run.client.connect(full.getLocalSocketAddress());
                return "connected";
            });
            run.client.close();
            run.note(waiting);
            for (Socket socket : filling) {
                socket.close();
            }
        }
    }

    static void closeInRead(ClassicRun run, Thread.Builder kind) throws Exception {
        run.connectAndGreet();
        InputStream in = run.client.getInputStream();
        Waiting waiting = run.whileWaiting("read", kind, in::read);
        run.note("close", run.client::close);
        run.note(waiting);
        run.note("read again", () -> in.read());
        run.note("peer", () -> run.server().getInputStream().read());
    }

    static void closeInTimedRead(ClassicRun run, Thread.Builder kind) throws Exception {
        run.connectAndGreet();
        run.client.setSoTimeout(60_000);
        Waiting waiting = run.whileWaiting("read", kind, run.client.getInputStream()::read);
        run.client.close();
        run.note(waiting);
    }

    static void closeInWrite(ClassicRun run, Thread.Builder kind) throws Exception {
        run.connectAndGreet();
        OutputStream out = run.client.getOutputStream();
        Waiting waiting = run.whileWaiting("write", kind, () -> {
            ClassicRun.writeForEver(run.client);
            return "done";
        });
        ClassicRun.awaitAvailable(run.server(), 1);
        run.client.close();
        run.note(waiting);
        run.note("write again", () -> out.write(1));
    }

    static void closeInAccept(ClassicRun run, Thread.Builder kind) throws Exception {
        run.listener.bind(LOOPBACK);
        Waiting waiting = run.whileWaiting("accept", kind, run.listener::accept);
        run.listener.close();
        run.note(waiting);
        run.note("accept again", run.listener::accept);
    }

    static void shutInputInRead(ClassicRun run, Thread.Builder kind) throws Exception {
        run.connectAndGreet();
        Waiting waiting = run.whileWaiting("read", kind, run.client.getInputStream()::read);
        run.client.shutdownInput();
        run.note(waiting);
    }

    static void virtualInterruptedInRead(ClassicRun run) throws Exception {
        run.connectAndGreet();
        Waiting waiting = run.whileWaiting("read", Thread.ofVirtual(), run.client.getInputStream()::read);
        waiting.thread().interrupt();
        run.note(waiting);
        run.note("is closed", run.client::isClosed);
        run.note("peer", () -> run.server().getInputStream().read());
    }

    static void virtualInterruptedInAccept(ClassicRun run) throws Exception {
        run.listener.bind(LOOPBACK);
        Waiting waiting = run.whileWaiting("accept", Thread.ofVirtual(), run.listener::accept);
        waiting.thread().interrupt();
        run.note(waiting);
        run.note("is closed", run.listener::isClosed);
    }
}
