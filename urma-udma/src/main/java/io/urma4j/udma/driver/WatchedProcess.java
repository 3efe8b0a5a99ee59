package io.urma4j.udma.driver;

import io.urma4j.libc.LibcException;
import io.urma4j.libc.PidFd;
import io.urma4j.spi.support.Timers;
import org.jspecify.annotations.Nullable;

/**
 * The process of a neighbour, which is watched for its end: within the wait of the engine, or by a timer where the port waits
 * in a selector of the JDK. The engine's thread.
 */
final class WatchedProcess implements AutoCloseable {
    private static final long LOOK_NANOS = 200_000_000;

    private final Adapter adapter;
    private final PidFd process;
    private final Runnable ended;
    private final boolean isWaitedFor;
    private Timers.@Nullable Timer look;

    private WatchedProcess(Adapter adapter, PidFd process, Runnable ended) {
        this.adapter = adapter;
        this.process = process;
        this.ended = ended;
        this.isWaitedFor = adapter.port().watch(process.fd(), ended);
    }

    /** Null where the kernel does not show it, as an old one, or in another PID namespace: then its silence will. */
    static @Nullable WatchedProcess open(Adapter adapter, int pid, Runnable ended) {
        PidFd process = null;
        try {
            process = PidFd.open(pid);
            WatchedProcess opened = new WatchedProcess(adapter, process, ended);
            if (!opened.isWaitedFor) {
                opened.lookLater();
            }
            return opened;
        } catch (LibcException e) {
            if (process != null) {
                process.close();
            }
            return null;
        }
    }

    private void lookLater() {
        look = adapter.engine().at(adapter.nanos() + LOOK_NANOS, this::look);
    }

    private void look() {
        if (process.isExited()) {
            ended.run();
        } else {
            lookLater();
        }
    }

    @Override
    public void close() {
        if (look != null) {
            look.cancel();
        }
        if (isWaitedFor) {
            adapter.port().unwatch(process.fd());
        }
        process.close();
    }

    @Override
    public String toString() {
        return "watched process " + process;
    }
}
