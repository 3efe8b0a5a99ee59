package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.support.Setting;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The addresses of devices: those of the setting {@code urma.udma.addresses}, else the first that is up and reaches other
 * hosts, IPv4 before IPv6, else the loopback.
 */
final class LocalAddresses {
    static final String SETTING = Setting.UDMA_ADDRESSES.property();

    private LocalAddresses() {}

    static List<InetAddress> of(UrmaOptions options) {
        Optional<String> named = options.setting(SETTING);
        if (named.isPresent()) {
            return Stream.of(named.get().split(",", -1))
                    .map(text -> parse(text.strip()))
                    .toList();
        }
        return List.of(choose(ofInterfaces()));
    }

    private static InetAddress parse(String text) {
        try {
            Eid eid = Eid.parse(text);
            // an IPv4 address becomes one, since the JDK knows ::ffff:0:0
            return InetAddress.getByAddress(ByteBuffer.allocate(Eid.BYTES)
                    .putLong(eid.high())
                    .putLong(eid.low())
                    .array());
        } catch (UrmaException | UnknownHostException e) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    "setting " + SETTING,
                    "'" + text + "' is no IP address; the value is a comma-separated list of IP addresses",
                    e);
        }
    }

    /** All addresses of interfaces that are up and no loopback. */
    private static List<InetAddress> ofInterfaces() {
        List<InetAddress> all = new ArrayList<>();
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                if (each.isUp() && !each.isLoopback()) {
                    each.getInterfaceAddresses().stream()
                            .map(InterfaceAddress::getAddress)
                            .forEach(all::add);
                }
            }
        } catch (SocketException e) {
            return List.of(); // what cannot be listed cannot be chosen
        }
        return all;
    }

    /**
     * The address that other hosts most likely reach: the first of IPv4, since a peer with both families uses the same one
     * everywhere; else the first of IPv6; else the loopback. Link-local addresses are excluded.
     */
    static InetAddress choose(List<InetAddress> ofInterfaces) {
        List<InetAddress> reachable = ofInterfaces.stream()
                .filter(address -> !address.isLinkLocalAddress())
                .toList();
        return reachable.stream()
                .filter(Inet4Address.class::isInstance)
                .findFirst()
                .or(() -> reachable.stream().findFirst().map(LocalAddresses::withoutScope))
                .orElse(InetAddress.ofLiteral("127.0.0.1"));
    }

    /** The JDK adds the interface to each IPv6 address, which only link-local ones need. */
    private static InetAddress withoutScope(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new AssertionError("the bytes of " + address, e);
        }
    }
}
