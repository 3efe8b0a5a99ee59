package io.urma4j.tools.ping;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.udma.control.EchoClient.Reply;
import io.urma4j.udma.ping.Pinger;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma ping}: whether a process has a network device open there, and the round-trip time. */
@Command(
        name = "ping",
        description = {
            "Check whether a process has a udma device open at an address, and measure the round-trip time.",
            "Any process with an open udma device answers. An answer is never longer than its request, and "
                    + "goes only to a sender whose address has been verified."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma ping 10.0.0.2",
            "  urma ping -c 5 -i 0.2 ::ffff:10.0.0.2",
            "  urma ping -c 1 -W 0.2 -p 4792 host && echo there"
        },
        exitCodeList = {"0:at least one answer arrived", "1:no answer", "2:usage error"})
public final class PingCommand implements Callable<Integer> {
    private static final double SHORTEST_INTERVAL = 0.001;
    private static final double LONGEST_SECONDS = 86_400;
    private static final double NANOS = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;

    @Parameters(paramLabel = "EID|ADDRESS", description = "Target: an EID, an IP address or a host name.")
    private String target;

    @Option(names = "-c", paramLabel = "N", description = "Number of requests; default: until Ctrl-C.")
    private int count = Integer.MAX_VALUE;

    @Option(
            names = "-i",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Seconds between requests, at least 0.001. Default: ${DEFAULT-VALUE}.")
    private double intervalSeconds;

    @Option(
            names = "-W",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Seconds to wait for an answer before it counts as lost. Default: ${DEFAULT-VALUE}.")
    private double patienceSeconds;

    @Option(
            names = "-s",
            paramLabel = "BYTES",
            defaultValue = "56",
            description =
                    "Payload bytes of each request, at most " + Pinger.MAX_BODY_BYTES + ". Default: ${DEFAULT-VALUE}.")
    private int bytes;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "" + Pinger.DEFAULT_PORT,
            description =
                    "UDP port of the device, as listed by 'urma devices' there. Default: ${DEFAULT-VALUE}; a second "
                            + "process at the same address has another port.")
    private int port;

    @Option(
            names = "-I",
            paramLabel = "ADDRESS",
            description = "Local address to send from; default: the one that the kernel's route selects.")
    private @Nullable String source;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only the summary.")
    private boolean quiet;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    private final RoundTrips trips = new RoundTrips();
    private final Deque<Due> due = new ArrayDeque<>();

    /** An echo with the deadline of its answer. */
    private record Due(int sequence, long deadlineNanos) {}

    @Override
    public Integer call() {
        check();
        InetAddress address = address(target);
        long startNanos = System.nanoTime();
        try (Pinger pinger =
                Pinger.open(address, port, source == null ? null : address(source), bytes, UrmaOptions.DEFAULT)) {
            tell("PING " + name(address) + " port " + port + " from " + name(pinger.source()) + ": " + bytes
                    + " bytes of data");
            try {
                ask(pinger, name(address));
            } catch (InterruptedException e) {
                // Ctrl-C is a way to end it
            }
            summary(name(address), (System.nanoTime() - startNanos) / NANOS_PER_MILLI);
            if (trips.received() == 0) {
                throw new CommandFailure(noAnswer(name(address), pinger.trouble()));
            }
        }
        return 0;
    }

    private void check() {
        check(count >= 1, "-c " + count + " is less than 1");
        check(
                intervalSeconds >= SHORTEST_INTERVAL && intervalSeconds <= LONGEST_SECONDS,
                "-i " + intervalSeconds + " is not within 0.001 and 86400 seconds");
        check(
                patienceSeconds >= SHORTEST_INTERVAL && patienceSeconds <= LONGEST_SECONDS,
                "-W " + patienceSeconds + " is not within 0.001 and 86400 seconds");
        check(
                bytes >= 0 && bytes <= Pinger.MAX_BODY_BYTES,
                "-s " + bytes + " is not within 0 and " + Pinger.MAX_BODY_BYTES + " bytes");
        check(port >= 1 && port <= 0xFFFF, "-p " + port + " is not within 1 and 65535");
    }

    private void check(boolean holds, String message) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.ofLiteral(Eid.parse(text).toString());
        } catch (UrmaException e) {
            return byName(text);
        }
    }

    private static InetAddress byName(String name) {
        try {
            return InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new CommandFailure("no host is called '" + name + "', and it is no EID", e);
        }
    }

    private static String name(InetAddress address) {
        return address.getHostAddress();
    }

    private void ask(Pinger pinger, String from) throws InterruptedException {
        long interval = (long) (intervalSeconds * NANOS);
        long next = System.nanoTime();
        for (int sequence = 1; sequence <= count && sequence > 0; sequence++) {
            pinger.send(sequence);
            trips.sent();
            long now = System.nanoTime();
            due.add(new Due(sequence, now + (long) (patienceSeconds * NANOS)));
            next = Math.max(next + interval, now); // a delayed request is not followed by a burst
            if (sequence < count) {
                take(pinger, from, next);
            }
        }
        while (!due.isEmpty()) {
            take(pinger, from, due.getFirst().deadlineNanos);
        }
    }

    /** Receives answers until that time, or until none is due any more. */
    private void take(Pinger pinger, String from, long untilNanos) throws InterruptedException {
        boolean last = trips.transmitted() == count;
        while (!last || pinger.waiting() > 0) {
            Due first = due.peek();
            long until = first != null && first.deadlineNanos - untilNanos < 0 ? first.deadlineNanos : untilNanos;
            Reply.Answer answer = pinger.await(until);
            if (answer != null) {
                answered(from, answer);
            }
            giveUp(pinger);
            if (answer == null && System.nanoTime() - untilNanos >= 0) {
                return;
            }
        }
        due.clear();
    }

    private void answered(String from, Reply.Answer answer) {
        trips.answered(answer.nanos());
        tell(bytes + " bytes from " + from + ": seq=" + answer.sequence() + " time=" + millis(answer.nanos()) + " ms");
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / (double) NANOS_PER_MILLI);
    }

    private void giveUp(Pinger pinger) {
        long now = System.nanoTime();
        while (!due.isEmpty() && now - due.getFirst().deadlineNanos >= 0) {
            int sequence = due.removeFirst().sequence;
            if (pinger.giveUp(sequence)) {
                tell("no answer to seq=" + sequence);
            }
        }
    }

    private void tell(String line) {
        if (!quiet && !json.isAsked()) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(line);
            out.flush();
        }
    }

    private void summary(String address, long tookMillis) {
        PrintWriter out = spec.commandLine().getOut();
        if (json.isAsked()) {
            Json.print(out, asMap(address));
            return;
        }
        out.println();
        out.println("--- " + address + " ping statistics ---");
        out.println(trips.summary(tookMillis));
        if (trips.received() > 0) {
            out.println(trips.times());
        }
        out.flush();
    }

    private Map<String, Object> asMap(String address) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("address", address);
        map.put("port", port);
        map.put("bytes", bytes);
        map.put("transmitted", trips.transmitted());
        map.put("received", trips.received());
        map.put("lossPercent", trips.lossPercent());
        if (trips.received() > 0) {
            map.put("minMillis", trips.minMillis());
            map.put("avgMillis", trips.avgMillis());
            map.put("maxMillis", trips.maxMillis());
            map.put("mdevMillis", trips.mdevMillis());
        }
        return map;
    }

    private String noAnswer(String address, String trouble) {
        return "no answer from " + address + " port " + port + ": "
                + (trouble.isEmpty()
                        ? "no process there has a udma device open at this address and port, or UDP does not get through"
                        : trouble);
    }
}
