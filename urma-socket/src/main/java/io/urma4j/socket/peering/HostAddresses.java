package io.urma4j.socket.peering;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/** The addresses of this host, as its network namespace has them. Safe for any thread. */
final class HostAddresses {
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

    private record Known(Set<InetAddress> addresses, long atNanos) {}

    private volatile Known known = new Known(Set.of(), System.nanoTime() - FRESH_NANOS - 1);

    /** Whether a packet to the address stays on this host. An address that came a few seconds ago may not count yet. */
    boolean contain(InetAddress address) {
        return address.isLoopbackAddress()
                || address.isAnyLocalAddress()
                || interfaces().contains(address);
    }

    private Set<InetAddress> interfaces() {
        Known seen = known;
        if (System.nanoTime() - seen.atNanos() > FRESH_NANOS) {
            seen = new Known(read(), System.nanoTime());
            known = seen;
        }
        return seen.addresses();
    }

    private static Set<InetAddress> read() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            return Set.of(); // then only loopback is local
        }
    }
}
