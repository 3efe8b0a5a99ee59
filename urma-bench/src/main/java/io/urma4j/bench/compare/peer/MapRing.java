package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.bench.compare.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A ring in a mapped file, by hand: what Java has without a library. */
public final class MapRing implements Peer {
    private final JvmPeer jvms = new JvmPeer("io.urma4j.bench.compare.end.MapRingEnd", List.of("-Xms64m", "-Xmx64m"));

    @Override
    public String name() {
        return Names.MAP_RING;
    }

    @Override
    public String obtain(Toolchain toolchain) throws IOException {
        return jvms.begin(System.getProperty("java.class.path"));
    }

    @Override
    public boolean can(Task task) {
        return task.reach() == Reach.MEMORY
                && (task.work() == Work.SEND_LATENCY || task.work() == Work.SEND_RATE || task.work() == Work.AT_RATE);
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException {
        return jvms.measure(task, about);
    }

    @Override
    public void warmUp(Task task, Duration turn) throws IOException, InterruptedException {
        jvms.warmUp(task, turn);
    }

    @Override
    public long warmUpMillis(Task task, Duration turn) {
        return JvmPeer.warmUpMillis(task, turn);
    }

    @Override
    public void close() {
        jvms.close();
    }
}
