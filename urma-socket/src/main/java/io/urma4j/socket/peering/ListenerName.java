package io.urma4j.socket.peering;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** The published names of listeners: network namespace, address and port. */
final class ListenerName {
    private final String namespace;

    private ListenerName(String namespace) {
        this.namespace = namespace;
    }

    /**
     * In the network namespace of this process, by the number that the kernel gives it.
     *
     * @throws IOException if /proc does not tell it
     */
    static ListenerName ofProcess() throws IOException {
        String link = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString(); // net:[4026531840]
        String number = link.replaceAll("\\D", "");
        if (number.isEmpty()) {
            throw new IOException("/proc/self/ns/net is " + link + ", which has no number");
        }
        return new ListenerName(number);
    }

    /** The name of a listener that is bound to this address. */
    String of(InetSocketAddress bound) {
        return name(bound.getAddress().isAnyLocalAddress() ? "any" : hex(bound.getAddress()), bound.getPort());
    }

    /** The names that a listener may have that a connection to this address reaches. */
    List<String> reachedBy(InetSocketAddress remote) {
        return List.of(of(remote), name("any", remote.getPort()));
    }

    private String name(String address, int port) {
        return "socket-" + namespace + "-" + address + "-" + port;
    }

    private static String hex(InetAddress address) {
        return HexFormat.of().formatHex(address.getAddress());
    }
}
