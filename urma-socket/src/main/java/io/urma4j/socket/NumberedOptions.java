package io.urma4j.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.Map;
import java.util.Set;

/** Reads and sets the options of a channel by the numbers of {@link SocketOptions}, as a socket does. */
final class NumberedOptions {
    private static final Map<Integer, SocketOption<Boolean>> SWITCHES = Map.of(
            SocketOptions.TCP_NODELAY, StandardSocketOptions.TCP_NODELAY,
            SocketOptions.SO_KEEPALIVE, StandardSocketOptions.SO_KEEPALIVE,
            SocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEADDR,
            SocketOptions.SO_REUSEPORT, StandardSocketOptions.SO_REUSEPORT);
    private static final Map<Integer, SocketOption<Integer>> NUMBERS = Map.of(
            SocketOptions.IP_TOS, StandardSocketOptions.IP_TOS,
            SocketOptions.SO_LINGER, StandardSocketOptions.SO_LINGER,
            SocketOptions.SO_SNDBUF, StandardSocketOptions.SO_SNDBUF,
            SocketOptions.SO_RCVBUF, StandardSocketOptions.SO_RCVBUF);
    private static final Set<SocketOption<Integer>> BUFFERS =
            Set.of(StandardSocketOptions.SO_SNDBUF, StandardSocketOptions.SO_RCVBUF);
    private static final int NO_LINGER = -1;

    private NumberedOptions() {}

    static void set(NetworkChannel channel, int option, Object value) throws SocketException {
        SocketOption<Boolean> toggle = SWITCHES.get(option);
        SocketOption<Integer> number = NUMBERS.get(option);
        try {
            if (toggle != null) {
                channel.setOption(toggle, cast(value, toggle));
            } else if (number != null) {
                channel.setOption(number, number(value, number));
            } else {
                throw unknown(option);
            }
        } catch (SocketException e) {
            throw e;
        } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
            throw SocketFailures.because(new SocketException(e.getMessage()), e);
        }
    }

    private static int number(Object value, SocketOption<Integer> name) throws SocketException {
        if (name.equals(StandardSocketOptions.SO_LINGER) && Boolean.FALSE.equals(value)) {
            return NO_LINGER;
        }
        int number = cast(value, name);
        if (number <= 0 && BUFFERS.contains(name)) {
            throw new SocketException(name + " <= 0");
        }
        return number;
    }

    private static <T> T cast(Object value, SocketOption<T> name) throws SocketException {
        if (!name.type().isInstance(value)) {
            throw new SocketException("Bad value for " + name);
        }
        return name.type().cast(value);
    }

    static Object get(NetworkChannel channel, int option) throws SocketException {
        SocketOption<Boolean> toggle = SWITCHES.get(option);
        SocketOption<Integer> number = NUMBERS.get(option);
        try {
            if (option == SocketOptions.SO_BINDADDR) {
                return localAddress(channel);
            }
            if (toggle != null) {
                return channel.getOption(toggle);
            }
            if (number != null) {
                Integer value = channel.getOption(number);
                boolean lingersNot = option == SocketOptions.SO_LINGER && value == NO_LINGER;
                return lingersNot ? false : (Object) value;
            }
            throw unknown(option);
        } catch (SocketException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException e) {
            throw SocketFailures.because(new SocketException(e.getMessage()), e);
        }
    }

    private static InetAddress localAddress(NetworkChannel channel) throws IOException {
        return channel.getLocalAddress() instanceof InetSocketAddress local
                ? local.getAddress()
                : new InetSocketAddress(0).getAddress();
    }

    private static SocketException unknown(int option) {
        return new SocketException("Unknown option " + option);
    }
}
