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
    private static final int NO_LINGER = -1;

    private NumberedOptions() {}

    static void set(NetworkChannel channel, int option, Object value) throws SocketException {
        try {
            if (SWITCHES.containsKey(option)) {
                channel.setOption(SWITCHES.get(option), cast(Boolean.class, value, SWITCHES.get(option)));
            } else if (NUMBERS.containsKey(option)) {
                channel.setOption(NUMBERS.get(option), number(option, value));
            } else {
                throw unknown(option);
            }
        } catch (SocketException e) {
            throw e;
        } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
            throw SocketFailures.because(new SocketException(e.getMessage()), e);
        }
    }

    private static int number(int option, Object value) throws SocketException {
        if (option == SocketOptions.SO_LINGER && Boolean.FALSE.equals(value)) {
            return NO_LINGER;
        }
        SocketOption<Integer> name = NUMBERS.get(option);
        int number = cast(Integer.class, value, name);
        if (number <= 0 && (option == SocketOptions.SO_SNDBUF || option == SocketOptions.SO_RCVBUF)) {
            throw new SocketException(name + " <= 0");
        }
        return number;
    }

    private static <T> T cast(Class<T> type, Object value, SocketOption<T> name) throws SocketException {
        if (!type.isInstance(value)) {
            throw new SocketException("Bad value for " + name);
        }
        return type.cast(value);
    }

    static Object get(NetworkChannel channel, int option) throws SocketException {
        try {
            if (option == SocketOptions.SO_BINDADDR) {
                return localAddress(channel);
            }
            if (SWITCHES.containsKey(option)) {
                return channel.getOption(SWITCHES.get(option));
            }
            if (NUMBERS.containsKey(option)) {
                int number = channel.getOption(NUMBERS.get(option));
                return option == SocketOptions.SO_LINGER && number == NO_LINGER ? (Object) false : (Object) number;
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
