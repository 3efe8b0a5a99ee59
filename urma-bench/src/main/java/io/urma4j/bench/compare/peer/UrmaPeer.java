package io.urma4j.bench.compare.peer;

import io.urma4j.bench.compare.Names;
import io.urma4j.bench.compare.Peer;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Sample;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.end.UrmaEnd;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** We. */
public final class UrmaPeer implements Peer {
    private final String name;
    private final Predicate<Task> abilities;
    private final JvmPeer jvms;

    private UrmaPeer(String name, boolean onlyQueues, Predicate<Task> abilities) {
        this.name = name;
        this.abilities = abilities;
        this.jvms = new JvmPeer(
                UrmaEnd.class.getName(), List.of("-Xms64m", "-Xmx64m", "-D" + UrmaEnd.QUEUES + "=" + onlyQueues));
    }

    /** Single operations on mapped memory are simple calls, all else goes by queues. */
    public static UrmaPeer best() {
        return new UrmaPeer(Names.URMA, false, UrmaPeer::isOwnWork);
    }

    /** Beside the best: what that does by calls, as work requests whose records are polled. */
    public static UrmaPeer queues() {
        return new UrmaPeer(Names.URMA_QUEUES, true, task -> isOwnWork(task) && UrmaEnd.isDirect(task));
    }

    /** In its place: everything goes by queues, which have more to guard. */
    public static UrmaPeer queuesAlone() {
        return new UrmaPeer(Names.URMA, true, UrmaPeer::isOwnWork);
    }

    /** A pipe each way, beside sockets. */
    public static UrmaPeer pipe() {
        return new UrmaPeer(
                Names.URMA_PIPE,
                false,
                task -> task.reach() == Reach.SOCKETS
                        && (task.work() == Work.SEND_LATENCY || task.work() == Work.SEND_RATE));
    }

    private static boolean isOwnWork(Task task) {
        return task.reach() == Reach.MEMORY || task.reach() == Reach.NETWORK;
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
        return abilities.test(task);
    }

    @Override
    public Sample measure(Task task, Duration about) throws IOException {
        return jvms.measure(inMemory(task), about);
    }

    @Override
    public void warmUp(Task task, Duration turn) throws IOException, InterruptedException {
        jvms.warmUp(inMemory(task), turn);
    }

    /** The same work on the device of shared memory, where it is one of sockets. */
    private static Task inMemory(Task task) {
        return task.reach() == Reach.SOCKETS ? Task.of(task.work(), Reach.MEMORY, task.bytes()) : task;
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
