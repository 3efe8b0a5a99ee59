package io.urma4j.socket;

import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Reads and sets the options of sockets and of listeners, by their methods and by name. */
final class ClassicOptions {
    /** What a listener over channels lacks, and what only our sockets have. */
    private static final Set<SocketOption<?>> DIFFERENT =
            Set.of(StandardSocketOptions.IP_TOS, UrmaSocketOptions.TRANSPORT, UrmaSocketOptions.FALLBACK_REASON);

    private ClassicOptions() {}

    private static List<SocketOption<?>> sorted(Set<SocketOption<?>> options) {
        return options.stream()
                .filter(option -> !DIFFERENT.contains(option))
                .sorted(Comparator.comparing(SocketOption::name))
                .toList();
    }

    static void ofSockets(ClassicRun run) throws Exception {
        Socket client = run.client;
        readAll(run, client);
        setByMethods(run, client);
        readAll(run, client);
        refuse(run, client);
        run.connect();
        readByMethods(run, client);
        setByMethods(run, client);
        readByMethods(run, client);
        setByName(run, client);
        readByMethods(run, client);
        client.close();
        run.note("set closed", () -> client.setOption(StandardSocketOptions.TCP_NODELAY, true));
        run.note("get closed", () -> client.getOption(StandardSocketOptions.TCP_NODELAY));
        run.note("supported by the closed", () -> sorted(client.supportedOptions()));
    }

    private static void readAll(ClassicRun run, Socket socket) {
        List<SocketOption<?>> options = sorted(socket.supportedOptions());
        run.note("supported", () -> options);
        for (SocketOption<?> option : options) {
            run.note(option.name(), () -> socket.getOption(option));
        }
        run.note("type of service", () -> socket.getOption(StandardSocketOptions.IP_TOS));
        readByMethods(run, socket);
    }

    private static void readByMethods(ClassicRun run, Socket socket) {
        run.note("timeout", socket::getSoTimeout);
        run.note("no delay", socket::getTcpNoDelay);
        run.note("linger", socket::getSoLinger);
        run.note("keep alive", socket::getKeepAlive);
        run.note("reuse", socket::getReuseAddress);
        run.note("inline", socket::getOOBInline);
        run.note("traffic class", socket::getTrafficClass);
        run.note("send buffer", socket::getSendBufferSize);
    }

    private static void setByMethods(ClassicRun run, Socket socket) {
        run.note("set timeout", () -> socket.setSoTimeout(12_345));
        run.note("set no delay", () -> socket.setTcpNoDelay(true));
        run.note("set linger", () -> socket.setSoLinger(true, 7));
        run.note("set keep alive", () -> socket.setKeepAlive(true));
        run.note("set reuse", () -> socket.setReuseAddress(true));
        run.note("set inline", () -> socket.setOOBInline(true));
        run.note("set traffic class", () -> socket.setTrafficClass(0x10));
        run.note("set send buffer", () -> socket.setSendBufferSize(40_000));
        run.note("set receive buffer", () -> socket.setReceiveBufferSize(50_000));
        run.note("receive buffer", socket::getReceiveBufferSize);
    }

    private static void setByName(ClassicRun run, Socket socket) {
        run.note("no delay by name", () -> socket.setOption(StandardSocketOptions.TCP_NODELAY, false));
        run.note("linger by name", () -> socket.setOption(StandardSocketOptions.SO_LINGER, -1));
        run.note("keep alive by name", () -> socket.setOption(StandardSocketOptions.SO_KEEPALIVE, false));
        run.note("linger off", () -> socket.setSoLinger(false, 0));
    }

    private static void refuse(ClassicRun run, Socket socket) {
        run.note("multicast", () -> socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
        run.note("read multicast", () -> socket.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
        run.note("no buffer", () -> socket.setOption(StandardSocketOptions.SO_SNDBUF, -1));
        run.note("no value", () -> socket.setOption(StandardSocketOptions.SO_SNDBUF, null));
        run.note("long linger", () -> socket.setSoLinger(true, 100_000));
        run.note("linger", socket::getSoLinger);
    }

    static void ofListeners(ClassicRun run) throws Exception {
        ServerSocket listener = run.listener;
        for (boolean isBound : new boolean[] {false, true}) {
            List<SocketOption<?>> options = sorted(listener.supportedOptions());
            run.note("supported " + isBound, () -> options);
            for (SocketOption<?> option : options) {
                run.note(option.name(), () -> listener.getOption(option));
            }
            run.note("set reuse", () -> listener.setReuseAddress(!isBound));
            run.note("reuse", listener::getReuseAddress);
            run.note("set timeout", () -> listener.setSoTimeout(1234));
            run.note("timeout", listener::getSoTimeout);
            run.note("set buffer", () -> listener.setReceiveBufferSize(50_000));
            run.note("buffer", listener::getReceiveBufferSize);
            run.note("keep alive", () -> listener.setOption(StandardSocketOptions.SO_KEEPALIVE, true));
            if (!isBound) {
                listener.bind(ClassicRun.LOOPBACK);
            }
        }
    }
}
