package io.urma4j.shm.crash;

import io.urma4j.SharedMemory;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.libc.Signal;
import io.urma4j.tck.FaultPoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The victim in its own process; {@code TckDriver} makes it by its name. */
final class VictimProcess implements Victim {
    /** The armed fault may strike in the first step; the caller gets its answer before that. */
    private static final Duration ANSWERED_FIRST = Duration.ofMillis(200);

    /** The same for a home that works already. */
    private static final Executor ANSWERED_BEFORE_ARMED = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    private String directory;
    private Urma urma;
    private UrmaContext context;
    private BusyHome home;
    private Trouble trouble;
    private CompletableFuture<Void> armed = CompletableFuture.completedFuture(null);

    @Override
    public void open(String runtimeDirectory) {
        directory = runtimeDirectory;
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtimeDirectory)));
        context = urma.device("shm0").openContext();
    }

    @Override
    public Doors beHome(String name, long revokeEveryMicros) {
        // it may be stopped for longer than the deadline, before it has notified an importer of a revocation
        home = new BusyHome(context, name, revokeEveryMicros, CrashIT.DEADLINE.multipliedBy(3));
        return new Doors(home.jetty(), home.connected());
    }

    @Override
    public void troubleHome(String name, Doors doors) {
        trouble = new Trouble(context, name, doors.jetty(), doors.connected(), ANSWERED_FIRST);
    }

    @Override
    public void arm(FaultPoint point, Fault fault, int times) {
        Signal signal = fault == Fault.KILL ? Signal.KILL : Signal.STOP;
        Runnable strike = signal::raise; // a stop is over when it returns, and none comes after disarm
        if (home == null || point.isClose()) {
            FaultPoints.arm(point.name(), strike, times);
        } else {
            armed = CompletableFuture.runAsync(
                    () -> FaultPoints.arm(point.name(), strike, times), ANSWERED_BEFORE_ARMED);
        }
    }

    @Override
    public void disarm() {
        armed.join();
        FaultPoints.disarm();
    }

    @Override
    public long done() {
        return trouble == null ? home.received() : trouble.results.get();
    }

    @Override
    public String openAnother(String runtimeDirectory) {
        try (var other = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtimeDirectory)))) {
            return "opened " + other.device("shm0").openContext();
        } catch (UrmaException e) {
            return e.toString();
        }
    }

    @Override
    public String importOnce(Doors doors) {
        try (var target = context.importJetty(doors.jetty())) {
            return "imported " + target;
        } catch (UrmaException e) {
            return e.toString();
        }
    }

    @Override
    public String exhaust(long lengthBytes) {
        context.allocate(4096).close();
        List<SharedMemory> all = new ArrayList<>();
        try {
            while (all.size() < 10_000) {
                all.add(context.allocate(lengthBytes));
            }
            return "never";
        } catch (UrmaException e) {
            return e.toString();
        } finally {
            all.forEach(SharedMemory::close);
        }
    }

    @Override
    public String held() {
        return ProcessLeaks.count().toString();
    }

    @Override
    public long failures() {
        return trouble.failures.get();
    }

    @Override
    public List<String> end() {
        List<String> wrongs = new ArrayList<>();
        try {
            if (trouble != null) {
                wrongs.addAll(trouble.end());
            }
            if (home != null) {
                home.end();
                wrongs.addAll(home.wrongs());
            }
        } catch (InterruptedException e) {
            wrongs.add("interrupted");
        }
        trouble = null;
        home = null;
        urma.close();
        open(directory); // the next use gets a new context
        return wrongs;
    }

    @Override
    public void beginToClose() {
        Thread.ofPlatform().daemon().start(urma::close);
    }
}
