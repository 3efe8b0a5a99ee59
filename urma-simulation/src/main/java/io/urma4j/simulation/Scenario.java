package io.urma4j.simulation;

import io.urma4j.udma.transport.ConnectionConfig;
import java.util.SplittableRandom;

/**
 * The choices of a seed, drawn from it.
 *
 * @param machines how many, 2 to 8
 * @param mtuBytes of datagrams, and of connections between ends that do not know each other for urma4j
 * @param longMtuBytes of all other connections: the same, or one that RoCE does not have
 * @param ipv6 whether packets have IPv6 headers, for the ICRC
 * @param nearWrap whether PSNs start right before they wrap to 0
 * @param operations work requests of each send queue
 * @param connectedPairs RC Jetties, two by two
 * @param sharedQueues RM send queues of each machine
 * @param datagramQueues UM send queues of each machine
 * @param receives receive work requests that a queue has at the start; more come when these are used
 * @param reads READs and atomics that a connection may have in flight
 * @param windowPackets that a connection may have unacknowledged
 * @param foreignPairs how many pairs of RC Jetties treat each other as foreign peers: plain RoCE, with go-back-N
 * @param slowHomes machines whose memory answers later, the first ones: peers reach it by a copy engine
 * @param narrows how often the MTU of a direction shrinks for a while, so that packets of urma4j peers need fragments
 * @param wideImmediates whether some immediates have 64 bits, where the peer is urma4j
 * @param harmless whether no fault may fail a work request: in spite of losses and delays, every one must succeed
 * @param faults the faults of the network
 */
record Scenario(
        int machines,
        int mtuBytes,
        int longMtuBytes,
        boolean ipv6,
        boolean nearWrap,
        int operations,
        int connectedPairs,
        int sharedQueues,
        int datagramQueues,
        int receives,
        int reads,
        int windowPackets,
        int foreignPairs,
        int slowHomes,
        int narrows,
        boolean wideImmediates,
        boolean harmless,
        Faults faults) {

    private static final int SMALLEST_MTU = 256;
    private static final int MTUS = 5;
    private static final int[] LONG_MTUS = {8192, 8192, 16_384, 61_440};
    private static final int LONG_ONE_IN = 6;
    private static final int SLOW_ONE_IN = 4;
    private static final int NARROW_ONE_IN = 5;
    private static final int MOST_NARROWS = 4;
    private static final int[] WINDOWS = {1, 1, 2, 3, 4, 8, 32, 128};

    static Scenario drawn(SplittableRandom random) {
        int machines = random.nextInt(3) > 0 ? 2 : 2 + random.nextInt(7);
        int mode = random.nextInt(8); // of the transport: RC alone, RM alone, or a mix
        int operations = machines > 3 ? 4 + random.nextInt(12) : 8 + random.nextInt(40);
        boolean harmless = random.nextInt(5) < 3;
        int mtuBytes = SMALLEST_MTU << random.nextInt(MTUS);
        return new Scenario(
                        machines,
                        mtuBytes,
                        mtuBytes,
                        random.nextInt(4) == 0,
                        random.nextInt(3) == 0,
                        operations,
                        mode < 3 ? 1 + random.nextInt(3) : mode == 7 ? 1 : 0,
                        mode >= 3 ? 1 + random.nextInt(3) : 0,
                        mode == 2 || mode == 7 ? 1 : 0,
                        random.nextInt(3) == 0 ? 1 : 1 << random.nextInt(6),
                        1 << random.nextInt(5),
                        ConnectionConfig.USUAL_WINDOW_PACKETS,
                        0,
                        0,
                        0,
                        false,
                        harmless,
                        Faults.drawn(random, harmless))
                .varied();
    }

    /**
     * The same with the choices that were added later. They are drawn from another source, so that the rest of a seed
     * keeps its meaning. A seed that once found a bug is run {@linkplain #plain without} them.
     */
    private Scenario varied() {
        SplittableRandom random = new SplittableRandom(faults.healedNanos());
        return with(
                random.nextBoolean() ? windowPackets : WINDOWS[random.nextInt(WINDOWS.length)],
                random.nextBoolean() ? 0 : random.nextInt(connectedPairs + 1),
                random.nextBoolean(),
                random.nextInt(LONG_ONE_IN) > 0 ? mtuBytes : LONG_MTUS[random.nextInt(LONG_MTUS.length)],
                random.nextInt(SLOW_ONE_IN) > 0 ? 0 : 1 + random.nextInt(machines),
                random.nextInt(NARROW_ONE_IN) > 0 ? 0 : 1 + random.nextInt(MOST_NARROWS));
    }

    /** The same with the usual window, and without the choices that were added later. */
    Scenario plain() {
        return with(ConnectionConfig.USUAL_WINDOW_PACKETS, 0, false, mtuBytes, 0, 0);
    }

    /** A source of further choices, which depends on the seed alone. */
    long seed() {
        return faults.healedNanos();
    }

    private Scenario with(int window, int foreign, boolean wide, int longMtu, int slow, int narrow) {
        return new Scenario(
                machines,
                mtuBytes,
                longMtu,
                ipv6,
                nearWrap,
                operations,
                connectedPairs,
                sharedQueues,
                datagramQueues,
                receives,
                reads,
                window,
                foreign,
                slow,
                narrow,
                wide,
                harmless,
                faults);
    }

    @Override
    public String toString() {
        return String.format(
                "%d machines, MTU %s%s%s, %d RC pairs%s, %d RM and %d UM queues each, %d operations each, %d receives, %d"
                        + " reads, window %d%s%s%s%s; %s",
                machines,
                longMtuBytes > mtuBytes ? mtuBytes + " and " + longMtuBytes : mtuBytes,
                ipv6 ? ", IPv6" : "",
                nearWrap ? ", PSNs near their wrap" : "",
                connectedPairs,
                foreignPairs > 0 ? " (" + foreignPairs + " foreign)" : "",
                sharedQueues,
                datagramQueues,
                operations,
                receives,
                reads,
                windowPackets,
                wideImmediates ? ", immediates of 64 bits" : "",
                slowHomes > 0 ? ", " + slowHomes + " slow homes" : "",
                narrows > 0 ? ", " + narrows + " times a smaller MTU" : "",
                harmless ? ", harmless" : "",
                faults);
    }
}
