package io.urma4j.udma.hostile;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.HexFormat;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/**
 * A process of another user, which greets a device in the name of as many contexts as it likes: from 64 addresses and 100
 * ports, and with the cookies that it is sent. It needs nothing but the JDK, since another user may not read our classes.
 *
 * <p>Arguments: first address, the device's address and port, a greeting before its ICRC in hex, what stands there for the
 * sender's incarnation in hex, how many greetings it sends, and the first port. Prints how many greetings left, and how many were welcomed.
 */
public final class Greeter {
    private static final int ADDRESSES = 64;
    private static final int PORTS = 100;
    private static final int DATAGRAM_AT = 20; // of a packet to QP 1
    private static final int KIND_AT = DATAGRAM_AT + 5;
    private static final int PORT_AT = DATAGRAM_AT + 6;
    private static final int TO_AT = DATAGRAM_AT + 24;
    private static final int TAG_AT = DATAGRAM_AT + 40;
    private static final int CHALLENGE = 2;
    private static final int WELCOME = 3;
    private static final int BURST = 32;
    private static final long PAUSE_NANOS = 200_000;
    private static final long LINGER_NANOS = 300_000_000;

    private final InetAddress[] addresses = new InetAddress[ADDRESSES];
    private final DatagramChannel[] senders = new DatagramChannel[ADDRESSES];
    private final DatagramChannel[] receivers = new DatagramChannel[PORTS]; // at all addresses each
    private final int firstPort;
    private final InetSocketAddress victim;
    private final byte[] template;
    private final long marker;
    private final ByteBuffer answer = ByteBuffer.allocate(2048).order(ByteOrder.LITTLE_ENDIAN);
    private long sent;
    private long welcomed;

    private Greeter(InetAddress first, int firstPort, InetSocketAddress victim, byte[] template, long marker)
            throws IOException {
        this.firstPort = firstPort;
        this.victim = victim;
        this.template = template;
        this.marker = marker;
        byte[] bytes = first.getAddress();
        for (int i = 0; i < ADDRESSES; i++) {
            bytes[3] = (byte) (1 + i);
            addresses[i] = Inet4Address.getByAddress(bytes);
            senders[i] = DatagramChannel.open(StandardProtocolFamily.INET);
            senders[i].setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true); // the identification is 0 then
            senders[i].bind(new InetSocketAddress(addresses[i], 0));
        }
        for (int i = 0; i < PORTS; i++) {
            receivers[i] = DatagramChannel.open(StandardProtocolFamily.INET);
            receivers[i].setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
            receivers[i].bind(new InetSocketAddress(firstPort + i));
            receivers[i].configureBlocking(false);
        }
    }

    public static void main(String[] args) throws IOException {
        Greeter greeter = new Greeter(
                InetAddress.ofLiteral(args[0]),
                Integer.parseInt(args[6]),
                new InetSocketAddress(InetAddress.ofLiteral(args[1]), Integer.parseInt(args[2])),
                HexFormat.of().parseHex(args[3]),
                Long.parseUnsignedLong(args[4], 16));
        long greetings = Long.parseLong(args[5]);
        System.out.println("ready");
        for (int i = 0; i < greetings; i++) {
            greeter.greet(i, 0);
            if (i % BURST == BURST - 1) {
                greeter.takeAnswers(greeter.receivers[i / BURST % PORTS]);
                greeter.takeAnswers(greeter.receivers[(i / BURST + PORTS / 2) % PORTS]);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        for (long end = System.nanoTime() + LINGER_NANOS; System.nanoTime() - end < 0; ) {
            for (DatagramChannel receiver : greeter.receivers) {
                greeter.takeAnswers(receiver);
            }
        }
        System.out.printf("%,d greetings, of which %,d were welcomed%n", greeter.sent, greeter.welcomed);
    }

    /** Greets as one of all the contexts that it pretends to be: the number says from where. */
    private void greet(int number, long cookie) throws IOException {
        int address = number % ADDRESSES;
        byte[] packet = template.clone();
        ByteBuffer fields = ByteBuffer.wrap(packet);
        for (int at = 0; at <= packet.length - Long.BYTES; at++) {
            if (fields.order(ByteOrder.LITTLE_ENDIAN).getLong(at) == marker) {
                fields.putLong(at, marker + number);
            } else if (fields.order(ByteOrder.BIG_ENDIAN).getLong(at) == marker) {
                fields.putLong(at, marker + number);
            }
        }
        fields.order(ByteOrder.BIG_ENDIAN).putShort(PORT_AT, (short) (firstPort + number / ADDRESSES % PORTS));
        fields.order(ByteOrder.LITTLE_ENDIAN).putLong(TAG_AT, cookie);
        int sourcePort = ((InetSocketAddress) senders[address].getLocalAddress()).getPort();
        senders[address].send(RoceSeal.sealed(packet, addresses[address], sourcePort, victim), victim);
        sent += cookie == 0 ? 1 : 0;
    }

    private void takeAnswers(DatagramChannel receiver) throws IOException {
        while (receiver.receive(answer.clear()) != null) {
            int kind = answer.get(KIND_AT);
            if (kind == CHALLENGE) {
                greet((int) (answer.getLong(TO_AT) - marker), answer.getLong(TAG_AT));
            } else if (kind == WELCOME) {
                welcomed++;
            }
        }
    }
}
