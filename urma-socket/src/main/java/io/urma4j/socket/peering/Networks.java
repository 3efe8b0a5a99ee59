package io.urma4j.socket.peering;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** A list of networks, such as {@code 10.0.0.0/8,fd00::/8}. Immutable. */
public final class Networks {
    /** Without addresses. */
    static final Networks NONE = new Networks(List.of());

    private static final String PROPERTY = "urma.socket.networks";

    private record Network(InetAddress address, int bits) {
        boolean contains(byte[] other) {
            byte[] own = address.getAddress();
            if (other.length != own.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit += Byte.SIZE) {
                int ignored = Math.max(bit + Byte.SIZE - bits, 0);
                int differing = (own[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & 0xff;
                if (differing >>> ignored != 0) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public String toString() {
            return address.getHostAddress() + "/" + bits;
        }
    }

    private final List<Network> all;

    private Networks(List<Network> all) {
        this.all = all;
    }

    /**
     * Parses addresses, each with the bits that count if these are not all, separated by commas.
     *
     * @throws IllegalArgumentException if one is wrong; the message names it
     */
    static Networks parse(String list) {
        List<Network> all = new ArrayList<>();
        for (String text : list.isBlank() ? new String[0] : list.split(",", -1)) {
            all.add(network(text.strip()));
        }
        return all.isEmpty() ? NONE : new Networks(List.copyOf(all));
    }

    private static Network network(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        try {
            InetAddress address = InetAddress.ofLiteral(literal);
            int most = address.getAddress().length * Byte.SIZE;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= most && isWhole(literal)) {
                return new Network(address, bits);
            }
        } catch (IllegalArgumentException e) {
            // told below
        }
        throw new IllegalArgumentException(
                "-D" + PROPERTY + " has " + text + ", must be an address, or a network such as 10.0.0.0/8");
    }

    /** Not so {@code 192.168}, which {@link InetAddress#ofLiteral} takes for 192.0.0.168. */
    private static boolean isWhole(String literal) {
        return literal.indexOf(':') >= 0 || literal.split("\\.", -1).length == 4;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean contain(InetAddress address) {
        byte[] bytes = address.getAddress();
        for (Network network : all) {
            if (network.contains(bytes)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return all.toString();
    }
}
