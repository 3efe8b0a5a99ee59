package io.urma4j.examples.blockstore.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** When the load kills which process: as many equal parts of its time as kills, and a random moment in each. */
final class KillPlan {
    /** What happens to a process. */
    enum Kind {
        /** SIGKILL to a client, which is started again. */
        CLIENT_KILLED,
        /** SIGKILL to the server, which is started again. */
        SERVER_KILLED,
        /** SIGSTOP to a client, and SIGCONT after the pause. */
        CLIENT_STOPPED
    }

    /**
     * One of them.
     *
     * @param at after the start of the load
     * @param client number of the client
     * @param pause before the process is started again, or goes on
     */
    record Kill(Kind kind, Duration at, int client, Duration pause) {}

    private static final Kind[] KINDS = Kind.values();
    private static final int LONGEST_RESTART_MILLIS = 1000;
    private static final int LONGEST_STOP_MILLIS = 4000;

    private KillPlan() {}

    /** The plan that follows from the seed; each three kills in a row are of different kinds. */
    static List<Kill> of(long seed, int kills, Duration duration, int clients) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Kill> plan = new ArrayList<>();
        int firstKind = random.nextInt(KINDS.length);
        for (int i = 0; i < kills; i++) {
            Kind kind = KINDS[(firstKind + i) % KINDS.length];
            double part = (i + 0.1 + 0.8 * random.nextDouble()) / kills;
            int longest = kind == Kind.CLIENT_STOPPED ? LONGEST_STOP_MILLIS : LONGEST_RESTART_MILLIS;
            plan.add(new Kill(
                    kind,
                    Duration.ofNanos((long) (duration.toNanos() * part)),
                    random.nextInt(clients),
                    Duration.ofMillis(random.nextInt(longest / 10, longest))));
        }
        return plan;
    }
}
