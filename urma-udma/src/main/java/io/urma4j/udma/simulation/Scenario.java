package io.urma4j.udma.simulation;

import java.util.SplittableRandom;

/**
 * What a seed is about, drawn from it.
 *
 * @param machines how many, 2 to 8
 * @param mtuBytes of all connections
 * @param ipv6 whether packets have IPv6 headers, for the ICRC
 * @param nearWrap whether PSNs start right before they begin again at 0
 * @param operations work requests of each send queue
 * @param connectedPairs RC Jetties, two by two
 * @param sharedQueues RM send queues of each machine
 * @param datagramQueues UM send queues of each machine
 * @param receives receive work requests that a queue has at the start; more come when these are used
 * @param reads READs and atomics that a connection may have under way
 * @param harmless whether nothing happens that may end a work request otherwise than well: whatever is lost or late, every
 *     one must succeed
 * @param faults what the network does
 */
record Scenario(
        int machines,
        int mtuBytes,
        boolean ipv6,
        boolean nearWrap,
        int operations,
        int connectedPairs,
        int sharedQueues,
        int datagramQueues,
        int receives,
        int reads,
        boolean harmless,
        Faults faults) {

    private static final int SMALLEST_MTU = 256;
    private static final int MTUS = 5;

    static Scenario drawn(SplittableRandom random) {
        int machines = random.nextInt(3) > 0 ? 2 : 2 + random.nextInt(7);
        int mode = random.nextInt(8); // of the transport: RC alone, RM alone, or a mix
        int operations = machines > 3 ? 4 + random.nextInt(12) : 8 + random.nextInt(40);
        boolean harmless = random.nextInt(5) < 3;
        return new Scenario(
                machines,
                SMALLEST_MTU << random.nextInt(MTUS),
                random.nextInt(4) == 0,
                random.nextInt(3) == 0,
                operations,
                mode < 3 ? 1 + random.nextInt(3) : mode == 7 ? 1 : 0,
                mode >= 3 ? 1 + random.nextInt(3) : 0,
                mode == 2 || mode == 7 ? 1 : 0,
                random.nextInt(3) == 0 ? 1 : 1 << random.nextInt(6),
                1 << random.nextInt(5),
                harmless,
                Faults.drawn(random, harmless));
    }

    @Override
    public String toString() {
        return String.format(
                "%d machines, MTU %d%s%s, %d RC pairs, %d RM and %d UM queues each, %d operations each, %d receives, %d"
                        + " reads%s; %s",
                machines,
                mtuBytes,
                ipv6 ? ", IPv6" : "",
                nearWrap ? ", PSNs near their wrap" : "",
                connectedPairs,
                sharedQueues,
                datagramQueues,
                operations,
                receives,
                reads,
                harmless ? ", harmless" : "",
                faults);
    }
}
