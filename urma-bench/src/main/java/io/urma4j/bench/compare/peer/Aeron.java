package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import java.util.ArrayList;
import java.util.List;

/** Aeron, IPC and UDP: its media driver invoked by the measuring thread, in one thread of its own, or in three. */
public final class Aeron extends BestOf {
    private static final List<String> OPTIONS = List.of(
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dagrona.disable.bounds.checks=true",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off");

    private Aeron(String... modes) {
        super(Names.AERON, "aeron", variants(modes));
    }

    /** In whichever of the three ways is best. */
    public static Aeron best() {
        return new Aeron("INVOKER", "SHARED", "DEDICATED");
    }

    /** Its driver invoked, which needs no CPU of its own. */
    public static Aeron invoked() {
        return new Aeron("INVOKER");
    }

    private static List<Variant> variants(String... modes) {
        List<Variant> variants = new ArrayList<>();
        for (String mode : modes) {
            List<String> options = new ArrayList<>(OPTIONS);
            options.add("-Durma.aeron.driver=" + mode);
            variants.add(new Variant("driver " + mode, new JvmPeer("io.urma4j.peers.AeronEnd", options)));
        }
        return variants;
    }

    @Override
    public boolean can(Task task) {
        return (task.reach() == Reach.MEMORY || task.reach() == Reach.NETWORK)
                && switch (task.work()) {
                    case SEND_LATENCY, SEND_RATE, AT_RATE, CONNECT -> true;
                    case WRITE_SEEN, WRITE_RATE, READ, READ_RATE, FADD, CAS, WAKE -> false;
                };
    }
}
