package io.urma4j.udma.link;

import java.io.IOException;

/** Two namespaces and a router between them, whose second link takes shorter packets than the ends believe. */
final class NarrowPath implements AutoCloseable {
    static final String LEFT = "198.18.10.1";
    static final String RIGHT = "198.18.11.1";

    private static final String AT_LEFT = "198.18.10.254";
    private static final String AT_RIGHT = "198.18.11.254";

    private final NetworkNamespace left = NetworkNamespace.open();
    private final NetworkNamespace router = NetworkNamespace.open();
    private final NetworkNamespace right = NetworkNamespace.open();

    NarrowPath(int mtuBytes) throws IOException {
        cable(left, LEFT, "toleft", AT_LEFT);
        cable(right, RIGHT, "toright", AT_RIGHT);
        router.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        router.run("ip", "link", "set", "toright", "mtu", Integer.toString(mtuBytes));
    }

    private void cable(NetworkNamespace end, String address, String name, String routers) {
        end.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", name);
        end.run("ip", "link", "set", name, "netns", Long.toString(router.pid()));
        end.run("ip", "address", "add", address + "/24", "dev", "eth0");
        end.run("ip", "link", "set", "eth0", "up");
        router.run("ip", "address", "add", routers + "/24", "dev", name);
        router.run("ip", "link", "set", name, "up");
        end.run("ip", "route", "add", "default", "via", routers);
    }

    NetworkNamespace left() {
        return left;
    }

    NetworkNamespace right() {
        return right;
    }

    @Override
    public void close() {
        left.close();
        router.close();
        right.close();
    }
}
