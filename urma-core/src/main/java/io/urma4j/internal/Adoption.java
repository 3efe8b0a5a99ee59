package io.urma4j.internal;

import io.urma4j.internal.flight.Flight;
import io.urma4j.internal.inspect.PerfMeter;
import io.urma4j.internal.inspect.PerfStage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Makes children of a context of what its provider made asynchronously. Safe for any thread. */
public final class Adoption {
    private final String context;
    private final ClosingOrder children;
    private final PerfMeter meter;

    /** The refusals and the Flight Recorder name {@code context}. */
    public Adoption(String context, ClosingOrder children, PerfMeter meter) {
        this.context = context;
        this.children = children;
        this.meter = meter;
    }

    /**
     * Makes what a provider made a child of the context, and hands it to the caller. If the context was closed meanwhile, or
     * the caller has cancelled, no one could close it: then it is abandoned.
     *
     * @param abandon begins the child's end without waiting, since this may be a thread that others wait for
     * @param handing where the result reaches the caller
     */
    public <T extends AutoCloseable> CompletableFuture<T> adopt(
            CompletableFuture<T> made, int rank, Consumer<T> abandon, Executor handing) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var _ = made.whenCompleteAsync(
                (child, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(Await.causeOf(failure));
                    } else if (!children.tryAdd(child, rank, () -> abandon.accept(child))) {
                        abandon.accept(child);
                        result.completeExceptionally(Checks.closed(context));
                    } else if (!result.complete(child)) {
                        abandon.accept(child); // cancelled
                    }
                },
                handing);
        return result;
    }

    /** The same, and waits. */
    public <T extends AutoCloseable> T adopt(CompletableFuture<T> made, int rank, Consumer<T> abandon) {
        return Await.result(context, adopt(made, rank, abandon, ResultExecutors.AT_ONCE));
    }

    /** Makes a child in a timed step; it is measured if the context is. */
    public <T extends AutoCloseable> T create(PerfStage stage, int rank, Supplier<T> making) {
        return meter.timed(stage, () -> meter.adopted(children.add(making.get(), rank)));
    }

    /** Begins an import; the meter and the Flight Recorder get how long it takes. */
    public <T> CompletableFuture<T> recorded(PerfStage stage, Supplier<CompletableFuture<T>> importing) {
        Flight.Step step = Flight.importing(context);
        long begun = meter.begin();
        return importing.get().whenComplete((made, failure) -> {
            meter.end(stage, begun);
            step.end(made == null ? "-" : made, failure == null ? "SUCCESS" : Await.causeOf(failure));
        });
    }
}
