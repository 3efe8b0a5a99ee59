package io.urma4j.spi.control;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.support.ControlEngine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Inspects the other contexts of this host: kind by kind, and one page of each at a time, so that neither an answer nor its
 * work is long. Any thread.
 */
public final class Inspector {
    /** Maximum pages of a context that never signals the end. */
    private static final int MAX_PAGES = 2000;

    private final ControlEngine engine;
    private final Supplier<List<Resident>> others;

    /** A context of this host, as its file names it. */
    public record Resident(int uasid, long incarnation, Neighbour neighbour) {}

    /**
     * An inspector.
     *
     * @param others the contexts of this host except the own one
     */
    public Inspector(ControlEngine engine, Supplier<List<Resident>> others) {
        this.engine = engine;
        this.others = others;
    }

    /** The objects of a context that is inspected. */
    @FunctionalInterface
    public interface Inventory {
        /** At most {@code limit} objects of a kind, in order, with the lowest numbers above {@code after}. */
        List<Resource> resources(Resource.Kind kind, long after, int limit);
    }

    /** Answers an inspection of this context with one page. */
    public static Answer page(long number, Inspect wanted, Inventory inventory) {
        Optional<Resource.Kind> kind = ResourceText.kind(wanted.kind());
        if (kind.isEmpty()) {
            return new Refused(number, UrmaStatus.EINVAL, "kind " + wanted.kind() + " of resources is unknown");
        }
        List<Resource> page = inventory.resources(kind.get(), wanted.after(), ControlCodec.MAX_TEXTS);
        List<String> texts = page.stream().map(ResourceText::of).toList();
        return new Inspected(number, texts, page.size() < ControlCodec.MAX_TEXTS);
    }

    /** The objects of these kinds in each of them. */
    public CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        return all(resident -> new Look(resident, kinds, deadlineNanos).begin());
    }

    /** Starts or stops measuring in the contexts of one process, or of all. */
    public CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, Duration timeout) {
        long deadlineNanos = engine.deadline(timeout);
        return all(resident -> new Look(resident, Set.of(), deadlineNanos).switchMeasuring(on, pid));
    }

    private CompletableFuture<List<ContextView>> all(
            Function<Resident, CompletableFuture<Optional<ContextView>>> look) {
        return engine.ask(() -> {
            List<ContextView> views = new ArrayList<>();
            List<CompletableFuture<?>> asked = new ArrayList<>();
            for (Resident resident : others.get()) {
                asked.add(look.apply(resident).thenAccept(view -> view.ifPresent(views::add)));
            }
            return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                    .thenApply(_ -> {
                        views.sort(Comparator.comparingInt(ContextView::uasid));
                        return List.copyOf(views);
                    });
        });
    }

    /** The requests to one context. */
    private static final class Look {
        private final Resident resident;
        private final long deadlineNanos;
        private final Deque<Resource.Kind> kinds;
        private final List<Resource> found = new ArrayList<>();
        private final CompletableFuture<Optional<ContextView>> view = new CompletableFuture<>();
        private String process = "unknown";
        private int pages;

        Look(Resident resident, Set<Resource.Kind> kinds, long deadlineNanos) {
            this.resident = resident;
            this.kinds = new ArrayDeque<>(kinds.stream().sorted().toList());
            this.deadlineNanos = deadlineNanos;
        }

        CompletableFuture<Optional<ContextView>> begin() {
            return greet(this::askNext);
        }

        /** Empty for a context of another process. */
        CompletableFuture<Optional<ContextView>> switchMeasuring(boolean on, OptionalLong pid) {
            return greet(greeted -> {
                if (pid.isPresent() && !process.equals("pid " + pid.getAsLong())) {
                    view.complete(Optional.empty());
                } else if ((greeted.features() & ControlCodec.FEATURE_MEASURE) == 0) {
                    end(new UrmaException(UrmaStatus.FAIL, greeted, "has a version that cannot be measured"));
                } else {
                    orEnd(greeted.ask(Done.class, request -> new Measure(request, on), deadlineNanos), _ -> end(""));
                }
            });
        }

        private CompletableFuture<Optional<ContextView>> greet(Consumer<Neighbour.Greeted> then) {
            orEnd(resident.neighbour().greet(deadlineNanos), greeted -> {
                process = greeted.process();
                then.accept(greeted);
            });
            return view;
        }

        /** Goes on with a result; a failure is the end. */
        private <T> void orEnd(CompletableFuture<T> asked, Consumer<T> then) {
            var _ = asked.whenComplete((result, failure) -> {
                if (failure != null) {
                    end(failure);
                } else {
                    then.accept(result);
                }
            });
        }

        private void askNext(Neighbour.Greeted greeted) {
            if ((greeted.features() & ControlCodec.FEATURE_INSPECT) == 0) {
                end(new UrmaException(UrmaStatus.FAIL, greeted, "has a version that cannot be inspected"));
            } else if (kinds.isEmpty()) {
                end("");
            } else {
                ask(greeted, kinds.remove(), -1);
            }
        }

        private void ask(Neighbour.Greeted greeted, Resource.Kind kind, long after) {
            if (++pages > MAX_PAGES) {
                end("limit of " + MAX_PAGES + " pages reached");
                return;
            }
            int number = ResourceText.number(kind);
            var _ = greeted.ask(Inspected.class, request -> new Inspect(request, number, after), deadlineNanos)
                    .whenComplete((page, failure) -> {
                        if (failure == null) {
                            take(greeted, kind, after, page);
                        } else if (isUnknownKind(failure)) {
                            askNext(greeted); // an older version has no objects of that kind
                        } else {
                            end(failure);
                        }
                    });
        }

        private static boolean isUnknownKind(Throwable failure) {
            return ControlEngine.causeOf(failure) instanceof UrmaException refusal
                    && refusal.status() == UrmaStatus.EINVAL;
        }

        private void take(Neighbour.Greeted greeted, Resource.Kind kind, long after, Inspected page) {
            long last = after;
            try {
                for (String text : page.resources()) {
                    Resource resource = ResourceText.parse(kind, text);
                    found.add(resource);
                    last = Math.max(last, resource.id());
                }
            } catch (IllegalArgumentException e) {
                end(e);
                return;
            }
            if (page.complete()) {
                askNext(greeted);
            } else if (last == after) {
                end("the peer repeated a page");
            } else {
                ask(greeted, kind, last);
            }
        }

        private void end(Throwable failure) {
            end(String.valueOf(ControlEngine.causeOf(failure).getMessage()));
        }

        private void end(String failure) {
            view.complete(
                    Optional.of(new ContextView(resident.uasid(), resident.incarnation(), process, found, failure)));
        }
    }
}
