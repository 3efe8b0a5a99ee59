package io.urma4j.bench.scale;

import io.urma4j.bench.ChildProcess;
import io.urma4j.bench.scale.Scale.Run;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What connections of sockets cost that are open and idle: half a round trip of 64 bytes on one of them, while all are
 * registered at one selector at either end, and the memory of each. Two processes of their own, over rings or over TCP.
 */
final class ConnectionsCurve {
    private static final List<String> COLUMNS =
            List.of("connect µs", "64 B ns", "heap B", "native B", "heap B, server", "native B, server", "descriptors");
    private static final Footprint NOTHING = new Footprint(0, 0, 0, 0);
    private static final double[] GUESSED = {8192, 32_768, 1, 0}; // of a connection, before some were measured
    private static final int FIGURES = 3; // of the memory of an end, which its process prints

    private final Run run;
    private final boolean overRings;
    private final int spinMicros;

    /** With this setting of {@code urma.socket.spin}, which means nothing over TCP. */
    ConnectionsCurve(Run run, boolean overRings, int spinMicros) {
        this.run = run;
        this.overRings = overRings;
        this.spinMicros = spinMicros;
    }

    Curve measure() throws IOException {
        String over = overRings ? "rings, spin " + spinMicros + " µs" : "TCP";
        Curve curve = new Curve(
                overRings ? "connections-rings-" + spinMicros : "connections-tcp",
                "Connections over " + over + ", one of them active; memory of each end, per connection",
                "connections",
                COLUMNS);
        try (ChildProcess server = start("server", "");
                ChildProcess client = start("client", server.hear())) {
            double[] clientsFirst = new double[0];
            double[] serversFirst = new double[0];
            int before = 0;
            for (int count : Run.counts(10, run.extent().connections())) {
                Optional<String> refusal = Room.now().refusal(count, NOTHING, GUESSED);
                if (refusal.isPresent()) {
                    curve.note(refusal.get());
                    break;
                }
                Run.tell(curve.name() + " " + count);
                double[] made = ask(client, "connect " + (count - before), 1);
                double[] trip = ask(client, "trip", 1);
                double[] clients = ask(client, "memory", FIGURES);
                double[] servers = ask(server, "memory", FIGURES);
                if (before == 0) {
                    clientsFirst = clients;
                    serversFirst = servers;
                }
                before = count;
                double[] ofClient = perConnection(clients, clientsFirst, count);
                double[] ofServer = perConnection(servers, serversFirst, count);
                curve.add(
                        count,
                        made[0] / 1e3,
                        trip[0] / 2,
                        ofClient[0],
                        ofClient[1],
                        ofServer[0],
                        ofServer[1],
                        ofClient[2]);
            }
            ask(client, "close", 1);
        }
        return curve;
    }

    private ChildProcess start(String role, String port) throws IOException {
        return ChildProcess.start(
                System.getProperty("java.class.path"),
                ConnectionsMain.class.getName(),
                role,
                Boolean.toString(overRings),
                Integer.toString(spinMicros),
                Long.toString(run.pace().perFigure().toMillis()),
                port);
    }

    private static double[] ask(ChildProcess child, String command, int figures) throws IOException {
        child.say(command);
        double[] answer = Arrays.stream(child.hear().split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
        if (answer.length != figures) {
            throw new IOException("the answer to '" + command + "' has " + answer.length + " figures");
        }
        return answer;
    }

    /** With fewer connections, fluctuations of the JVM's own memory hide theirs. */
    private static double[] perConnection(double[] now, double[] first, int count) {
        double[] each = new double[now.length];
        for (int i = 0; i < now.length; i++) {
            each[i] = count < 100 ? Curve.NONE : (now[i] - first[i]) / (count - 1);
        }
        return each;
    }
}
