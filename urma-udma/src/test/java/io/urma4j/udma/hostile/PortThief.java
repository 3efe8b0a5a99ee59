package io.urma4j.udma.hostile;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.List;

/**
 * A process of another user, which tries each way to bind the UDP port of a device: at its address and at all, with each option that
 * shares ports. It needs nothing but the JDK.
 *
 * <p>Arguments: address and port. Prints a line for each attempt that succeeded, and "done".
 */
public final class PortThief {
    private PortThief() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[1]);
        InetSocketAddress own = new InetSocketAddress(InetAddress.getByName(arguments[0]), port);
        for (InetSocketAddress at : List.of(own, new InetSocketAddress("0.0.0.0", port))) {
            for (int options = 0; options < 4; options++) {
                boolean reuseAddress = (options & 1) != 0;
                boolean reusePort = (options & 2) != 0;
                if (binds(at, reuseAddress, reusePort)) {
                    System.out.println(
                            "bound " + at + ", SO_REUSEADDR " + reuseAddress + ", SO_REUSEPORT " + reusePort);
                }
            }
        }
        System.out.println("done");
    }

    private static boolean binds(InetSocketAddress at, boolean reuseAddress, boolean reusePort) throws IOException {
        try (DatagramChannel socket = DatagramChannel.open(StandardProtocolFamily.INET)) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, reuseAddress);
            socket.setOption(StandardSocketOptions.SO_REUSEPORT, reusePort);
            socket.bind(at);
            return true;
        } catch (BindException e) {
            return false;
        }
    }
}
