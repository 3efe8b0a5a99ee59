package io.urma4j.udma.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.udma.capture.PcapWriter;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Queue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The other end of {@code ibv_rc_pingpong} with a port of ours and next to nothing of a transport, one message at a time:
 * shows that Linux takes the packets that a port sends, and that the port takes those of Linux. Runs in the interop run.
 *
 * <pre>
 *   LinuxPeer OUR_ADDRESS HOST|server TCP_PORT WAY ITERATIONS MESSAGE_BYTES MTU [CAPTURE_FILE]
 * </pre>
 */
final class LinuxPeer {
    private static final int QP = 0x123;
    private static final int ACK = 0x1F; // syndrome of WIRE §4.4: no flow control
    private static final int PSN_SIGN = 0x80_0000;
    private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();
    private static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int LINE_BYTES = 52;

    private final UdpPort port;
    private final int mtuBytes;
    private final Queue<byte[]> inbox = new ArrayDeque<>();
    private final byte[] message = new byte[1 << 20];
    private int messageBytes;
    private @Nullable UdpRoute route;
    private int remoteQp;
    private int psn;
    private int expected;
    private int acknowledged; // the PSN that was acknowledged last
    private int messages;
    private int repeated;

    private LinuxPeer(UdpPort port, int mtuBytes, int firstPsn) {
        this.port = port;
        this.mtuBytes = mtuBytes;
        this.psn = firstPsn;
    }

    public static void main(String[] args) throws IOException {
        InetAddress address = InetAddress.ofLiteral(args[0]);
        int tcpPort = Integer.parseInt(args[2]);
        int iterations = Integer.parseInt(args[4]);
        byte[] content = new byte[Integer.parseInt(args[5])];
        Arrays.fill(content, (byte) 0x7C);
        for (int page = 0; page < content.length; page += 4096) {
            content[page] = 0; // what ibv_rc_pingpong -c looks at
        }
        PcapWriter capture =
                args.length > 7 ? PcapWriter.create(Path.of(args[7]), 1 << 28, InstantSource.system()) : null;
        PortOptions options =
                PortOptions.of(address).withWay(IoWay.parse(args[3])).withCapture(capture);
        try (capture;
                UdpPort port = UdpPort.open(options)) {
            LinuxPeer peer = new LinuxPeer(port, Integer.parseInt(args[6]), new Random().nextInt(1 << 24));
            if (args[1].equals("server")) {
                peer.serve(tcpPort, iterations, content);
            } else {
                peer.call(args[1], tcpPort, iterations, content);
            }
            peer.linger();
            System.out.printf(
                    "LinuxPeer: %d round trips of %d bytes by %s; %d messages sent again; %d dropped%n",
                    iterations,
                    content.length,
                    port.way(),
                    peer.repeated,
                    port.counters().dropped());
            if (peer.repeated > 0 || port.counters().dropped() > 0) {
                System.exit(1);
            }
        }
    }

    private void call(String host, int tcpPort, int iterations, byte[] content) throws IOException {
        try (Socket socket = connect(host, tcpPort)) {
            socket.getOutputStream().write(line());
            meet(socket.getInputStream().readNBytes(LINE_BYTES));
            socket.getOutputStream().write("done\0".getBytes(StandardCharsets.US_ASCII));
        }
        for (int i = 0; i < iterations; i++) {
            send(content);
            check(receive(), content.length);
        }
    }

    private void serve(int tcpPort, int iterations, byte[] content) throws IOException {
        try (ServerSocket listener = new ServerSocket(tcpPort);
                Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            meet(in.readNBytes(LINE_BYTES));
            socket.getOutputStream().write(line());
            in.readNBytes(5);
        }
        for (int i = 0; i < iterations; i++) {
            check(receive(), content.length);
            send(content);
        }
    }

    private static Socket connect(String host, int tcpPort) throws IOException {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (true) {
            try {
                return new Socket(host, tcpPort);
            } catch (IOException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    private byte[] line() {
        return String.format(
                        "0000:%06x:%06x:%016x%016x\0",
                        QP, psn, Addresses.high(port.address()), Addresses.low(port.address()))
                .getBytes(StandardCharsets.US_ASCII);
    }

    private void meet(byte[] line) {
        String[] fields = new String(line, 0, LINE_BYTES - 1, StandardCharsets.US_ASCII).split(":");
        remoteQp = HexFormat.fromHexDigits(fields[1]);
        expected = HexFormat.fromHexDigits(fields[2]);
        long high = HexFormat.fromHexDigitsToLong(fields[3], 0, 16);
        long low = HexFormat.fromHexDigitsToLong(fields[3], 16, 32);
        route = port.route(high, low, IpHeaders.ROCE_PORT);
    }

    private static void check(byte[] received, int lengthBytes) {
        if (received.length != lengthBytes) {
            throw new IllegalStateException("a message of " + received.length + " bytes, not " + lengthBytes);
        }
    }

    private void send(byte[] content) {
        int packets = Math.max(1, Math.ceilDiv(content.length, mtuBytes));
        int last = psn + packets - 1 & Bth.MAX_24;
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        acknowledged = psn - 1 & Bth.MAX_24;
        for (int attempt = 0; distance(acknowledged, last) < 0; attempt++) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("no acknowledgement of PSN " + last + "; " + port.trouble());
            }
            repeated += attempt == 0 ? 0 : 1;
            for (int i = 0; i < packets; i++) {
                put(content, i, packets);
            }
            port.flush();
            long end = System.nanoTime() + PATIENCE_NANOS;
            while (distance(acknowledged, last) < 0 && System.nanoTime() - end < 0) {
                step(end);
            }
        }
        psn = last + 1 & Bth.MAX_24;
    }

    private void put(byte[] content, int index, int packets) {
        int operation = packets == 1
                ? Opcodes.SEND_ONLY
                : index == 0 ? Opcodes.SEND_FIRST : index == packets - 1 ? Opcodes.SEND_LAST : Opcodes.SEND_MIDDLE;
        int from = index * mtuBytes;
        int length = Math.min(mtuBytes, content.length - from);
        Packet packet = begin(Opcodes.RC | operation, psn + index & Bth.MAX_24);
        if (index == packets - 1) {
            Bth.askForAcknowledgement(packet.bytes());
        }
        MemorySegment.copy(content, from, packet.bytes(), JAVA_BYTE, packet.payloadAt(), length);
        port.end(length);
    }

    private byte[] receive() {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (inbox.isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("no message came");
            }
            step(end);
        }
        return inbox.remove();
    }

    /** What the peer may still send again is answered. */
    private void linger() {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() - end < 0) {
            step(end);
        }
    }

    private void step(long end) {
        if (port.receive((packet, _) -> arrived(packet)) == 0) {
            port.await(Math.max(0, end - System.nanoTime()));
        }
        port.flush();
    }

    private void arrived(Packet packet) {
        if (Bth.destinationQp(packet.bytes()) != QP) {
            return;
        }
        int opcode = packet.opcode();
        int at = Bth.psn(packet.bytes());
        if (opcode == (Opcodes.RC | Opcodes.ACKNOWLEDGE)) {
            if (Aeth.syndrome(packet.bytes(), packet.at(Header.AETH)) >>> 5 == 0) {
                acknowledged = at;
            }
        } else if (distance(at, expected) != 0) {
            answer(
                    distance(at, expected) < 0 ? ACK : Aeth.NAK_SEQUENCE,
                    distance(at, expected) < 0 ? expected - 1 : expected);
        } else {
            request(packet, opcode);
        }
    }

    private void request(Packet packet, int opcode) {
        int length = packet.payloadBytes();
        MemorySegment.copy(packet.bytes(), JAVA_BYTE, packet.payloadAt(), message, messageBytes, length);
        messageBytes += length;
        expected = expected + 1 & Bth.MAX_24;
        if (opcode == Opcodes.SEND_ONLY || opcode == Opcodes.SEND_LAST) {
            messages++;
            inbox.add(Arrays.copyOf(message, messageBytes));
            messageBytes = 0;
        }
        if (Bth.asksForAcknowledgement(packet.bytes())) {
            answer(ACK, expected - 1);
        }
    }

    private void answer(int syndrome, int answered) {
        Packet packet = begin(Opcodes.RC | Opcodes.ACKNOWLEDGE, answered & Bth.MAX_24);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), syndrome, messages & Bth.MAX_24);
        port.end(0);
    }

    private Packet begin(int opcode, int number) {
        Packet packet = route == null ? null : port.begin(route);
        if (packet == null) {
            throw new IllegalStateException("no room, or nobody met");
        }
        packet.begin(opcode, remoteQp, number);
        return packet;
    }

    private static int distance(int a, int b) {
        return ((a - b + PSN_SIGN) & Bth.MAX_24) - PSN_SIGN;
    }
}
