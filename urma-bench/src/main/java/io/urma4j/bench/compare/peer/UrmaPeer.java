package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Workshop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** We. */
public final class UrmaPeer implements Peer {
    private final JvmPeer jvms = new JvmPeer("io.urma4j.bench.compare.end.UrmaEnd", List.of("-Xms64m", "-Xmx64m"));

    @Override
    public String name() {
        return Names.URMA;
    }

    @Override
    public String obtain(Workshop workshop) throws IOException {
        return jvms.begin(System.getProperty("java.class.path"));
    }

    @Override
    public boolean can(Task task) {
        return true;
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException {
        return jvms.measure(task, about);
    }

    @Override
    public void warmUp(Task task) throws IOException, InterruptedException {
        jvms.warmUp(task);
    }

    @Override
    public long warmUpMillis(Task task) {
        return JvmPeer.warmUpMillis();
    }

    @Override
    public void close() {
        jvms.close();
    }
}
