package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.bench.compare.end.UrmaEnd;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** We. */
public final class UrmaPeer implements Peer {
    private final String name;
    private final JvmPeer jvms;

    private UrmaPeer(String name, boolean onlyQueues) {
        this.name = name;
        this.jvms = new JvmPeer(
                UrmaEnd.class.getName(), List.of("-Xms64m", "-Xmx64m", "-D" + UrmaEnd.QUEUES + "=" + onlyQueues));
    }

    /** Single operations on mapped memory are simple calls, all else goes by queues. */
    public static UrmaPeer best() {
        return new UrmaPeer(Names.URMA, false);
    }

    /** Beside the best: what that does by calls, as work requests whose records are polled. */
    public static UrmaPeer queues() {
        return new UrmaPeer(Names.URMA_QUEUES, true);
    }

    /** In its place: everything goes by queues, which have more to guard. */
    public static UrmaPeer queuesAlone() {
        return new UrmaPeer(Names.URMA, true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String obtain(Toolchain toolchain) throws IOException {
        return jvms.begin(System.getProperty("java.class.path"));
    }

    @Override
    public boolean can(Task task) {
        return !name.equals(Names.URMA_QUEUES) || UrmaEnd.isDirect(task);
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
