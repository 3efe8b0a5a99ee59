package io.urma4j.bench.scale;

import io.urma4j.bench.scale.Scale.Run;
import java.util.ArrayList;
import java.util.List;

/**
 * What a connection of the network card costs when there are many: cards of production back to back in this thread, without
 * sockets, kernel or engine. So it is what the card adds to the system calls, and how that grows.
 */
final class SimulatedCurve {
    static final String HUB = "CPU ns a WRITE";
    static final String PEER = "CPU ns at the peer";
    static final String IDLE = "heap B unused";
    static final String USED = "heap B used, both ends";

    private static final List<String> COLUMNS = List.of(HUB, PEER, "idle step ns", IDLE, USED);
    private static final int CHUNK = 256;
    private static final int LEAST_BATCHES = 200;
    private static final int WARM_UP_PEERS = 16;

    private final Run run;
    private final List<SimulatedNet> all = new ArrayList<>(); // so that none is freed while the next one is measured

    SimulatedCurve(Run run) {
        this.run = run;
    }

    Curve measure() {
        Curve curve = new Curve(
                "simulated-udma",
                "Peers of a card of udma, simulated: WRITEs of 8 bytes to each in turn, " + SimulatedNet.BATCH
                        + " in flight; heap per connection",
                "peers",
                COLUMNS);
        warmUp();
        for (int count : Run.counts(10, run.extent().simulated())) {
            Run.tell(curve.name() + " " + count);
            measure(curve, count);
        }
        return curve;
    }

    private void warmUp() {
        SimulatedNet net = net(WARM_UP_PEERS);
        net.connectHub();
        write(net, Math.max(LEAST_BATCHES, run.pace().cycles() * 10));
    }

    private SimulatedNet net(int peers) {
        SimulatedNet net = new SimulatedNet();
        all.add(net);
        net.addPeers(peers);
        net.connectPeers();
        return net;
    }

    private void measure(Curve curve, int count) {
        SimulatedNet net = net(count);
        Footprint before = Footprint.now();
        net.connectHub();
        Footprint connected = Footprint.now();
        int everybody = (count + SimulatedNet.BATCH - 1) / SimulatedNet.BATCH;
        write(net, Math.max(LEAST_BATCHES, 2 * everybody)); // what a connection needs with its first packets is there
        Footprint used = Footprint.now();
        net.forgetTimes();
        long batches = Math.max(LEAST_BATCHES, 4L * everybody);
        long begin = System.nanoTime();
        long written = 0;
        while (written < batches
                || System.nanoTime() - begin < run.pace().perFigure().toNanos()) {
            net.batch();
            written++;
        }
        double messages = (double) written * SimulatedNet.BATCH;
        double idleStep = run.pace().nanos(CHUNK, net::idleSteps);
        curve.add(
                count,
                net.hubNanos() / messages,
                net.peerNanos() / messages,
                idleStep,
                connected.perThing(before, count)[0],
                used.perThing(before, count)[0]);
    }

    private static void write(SimulatedNet net, long batches) {
        for (long i = 0; i < batches; i++) {
            net.batch();
        }
    }
}
