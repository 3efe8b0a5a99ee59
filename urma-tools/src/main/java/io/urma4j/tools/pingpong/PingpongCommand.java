package io.urma4j.tools.pingpong;

import io.urma4j.Eid;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.SizeConverter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma pingpong}: one side of a ping-pong, compatible with Linux's programs of that name on the other. */
@Command(
        name = "pingpong",
        description = {
            "Exchange messages with ibv_rc_pingpong or ibv_ud_pingpong of Linux, or with another urma " + "pingpong.",
            "With a HOST it is the client; without one it waits for a client.",
            "The other side needs -g, the index of its RoCE v2 GID, and the same size, count and MTU."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma pingpong -g 10.77.0.1                  and there: ibv_rc_pingpong -g 1 10.77.0.1",
            "  urma pingpong -g 10.77.0.1 10.77.0.11       and there: ibv_rc_pingpong -g 1",
            "  urma pingpong --ud -s 1000 -g fd77::1       and there: ibv_ud_pingpong -s 1000 -g 2 10.77.0.1"
        })
public final class PingpongCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(30); // until the other side is there
    private static final Duration MESSAGE_PATIENCE = Duration.ofSeconds(10);
    private static final int DEFAULT_RC_BYTES = 4096;
    private static final int DEFAULT_UD_BYTES = 1024;

    /** The choice between the two transports. */
    private static final class Transport {
        @Option(names = "--rc", description = "Use a reliable connection (default).")
        @SuppressWarnings("UnusedVariable") // need not be read: what is not UD is RC
        private boolean rc;

        @Option(names = "--ud", description = "Use datagrams.")
        private boolean ud;
    }

    @ArgGroup
    private @Nullable Transport transport;

    @Parameters(paramLabel = "HOST", arity = "0..1", description = "Host where the other side listens.")
    private @Nullable String host;

    @Option(
            names = {"-g", "--address"},
            paramLabel = "ADDRESS",
            description = "Local address, IPv4 or IPv6; default: that of the first device.")
    private @Nullable String address;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "18515",
            description = "TCP port for the exchange of addresses; default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Bytes per message; default: 4096, with --ud 1024.")
    private @Nullable Long size;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "NUMBER",
            defaultValue = "1000",
            description = "Number of round trips; default: ${DEFAULT-VALUE}.")
    private int iterations;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Path MTU: 256, 512, 1024, 2048 or 4096; default: ${DEFAULT-VALUE}.")
    private int mtuBytes;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "NUMBER",
            defaultValue = "500",
            description = "Number of posted receives; default: ${DEFAULT-VALUE}.")
    private int receives;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        check();
        UrmaOptions options = UrmaOptions.DEFAULT;
        if (address != null) {
            options = options.withSetting("urma.udma.addresses", ours(address));
        }
        boolean interrupted = false;
        try (Urma urma = Urma.open(options);
                UrmaContext context = device(urma).openContext();
                Rally rally = Rally.of(context, isUd(), messageBytes(), mtuBytes, receives)) {
            try {
                meet(rally);
                play(rally);
            } finally {
                interrupted = Thread.interrupted(); // closing must not be interrupted
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return 0;
    }

    private void check() {
        if (Integer.bitCount(mtuBytes) != 1 || mtuBytes < 256 || mtuBytes > 4096) {
            throw wrongUse("-m " + mtuBytes + " is none of 256, 512, 1024, 2048, 4096");
        }
        if (iterations < 1 || receives < 1 || port < 1 || port > 0xFFFF) {
            throw wrongUse("-n, -r and -p must be positive, and the port at most 65535");
        }
        if (size != null && size > Integer.MAX_VALUE) {
            throw wrongUse("-s " + size + " is more than " + Integer.MAX_VALUE + " bytes");
        }
    }

    private ParameterException wrongUse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private boolean isUd() {
        return transport != null && transport.ud;
    }

    private int messageBytes() {
        return size == null ? isUd() ? DEFAULT_UD_BYTES : DEFAULT_RC_BYTES : Math.toIntExact(size);
    }

    private String ours(String text) {
        try {
            Eid.parse(text);
            return text;
        } catch (UrmaException e) {
            throw wrongUse(
                    "-g " + text + ": give our own address, IPv4 or IPv6; the index of a GID is for the other side");
        }
    }

    private static UrmaDevice device(Urma urma) {
        return urma.devices().stream()
                .filter(device -> device.attributes().provider().equals("udma"))
                .findFirst()
                .orElseThrow(() -> new CommandFailure("this machine has no RoCE device; see 'urma doctor'"));
    }

    private void meet(Rally rally) {
        PrintWriter out = spec.commandLine().getOut();
        Destination ours = rally.destination();
        out.println("  local address:  " + ours);
        Destination theirs;
        if (host == null) {
            try (Exchange exchange = Exchange.accept(null, port, null)) {
                theirs = exchange.asServer(ours, rally::connect);
            }
        } else {
            try (Exchange exchange = Exchange.connect(server(host), port, PATIENCE)) {
                theirs = exchange.asClient(ours);
                rally.connect(theirs);
            }
        }
        out.println("  remote address: " + theirs);
    }

    private static InetAddress server(String name) {
        try {
            return InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new CommandFailure("no host is called '" + name + "'", e);
        }
    }

    private void play(Rally rally) {
        long nanos = rally.play(iterations, host != null, MESSAGE_PATIENCE);
        double seconds = nanos / 1e9;
        long bytes = 2L * iterations * messageBytes();
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%d bytes in %.2f seconds = %.2f Mbit/sec%n", bytes, seconds, bytes * 8 / 1e6 / seconds);
        out.printf("%d iters in %.2f seconds = %.2f usec/iter%n", iterations, seconds, nanos / 1e3 / iterations);
        out.flush();
    }
}
