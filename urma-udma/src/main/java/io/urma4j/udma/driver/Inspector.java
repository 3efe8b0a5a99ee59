package io.urma4j.udma.driver;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ResourceText;
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

/** Looks into the other contexts of this host: kind by kind, and a page of each at a time. The engine's thread. */
final class Inspector {
    /** A context that sends page after page without an end is left at that. */
    private static final int MAX_PAGES = 2000;

    private final UdmaContext context;
    private final HostDirectory directory;

    Inspector(UdmaContext context, HostDirectory directory) {
        this.context = context;
        this.directory = directory;
    }

    CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, long deadlineNanos) {
        return all(place -> new Look(place, kinds, deadlineNanos).begin());
    }

    /** Has the contexts of one process, or all, take the times of their steps, or not any more. */
    CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, long deadlineNanos) {
        return all(place -> new Look(place, Set.of(), deadlineNanos).switchMeasuring(on, pid));
    }

    private CompletableFuture<List<ContextView>> all(
            Function<HostDirectory.Place, CompletableFuture<Optional<ContextView>>> look) {
        List<ContextView> views = new ArrayList<>();
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (HostDirectory.Place place : directory.contexts()) {
            if (!place.equals(context.place())) {
                asked.add(look.apply(place).thenAccept(view -> view.ifPresent(views::add)));
            }
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(_ -> {
            views.sort(Comparator.comparingInt(ContextView::uasid));
            return List.copyOf(views);
        });
    }

    /** The questions to one context. */
    private final class Look {
        private final HostDirectory.Place place;
        private final long deadlineNanos;
        private final Deque<Resource.Kind> kinds;
        private final List<Resource> found = new ArrayList<>();
        private final CompletableFuture<Optional<ContextView>> view = new CompletableFuture<>();
        private String process = "unknown";
        private int pages;

        Look(HostDirectory.Place place, Set<Resource.Kind> kinds, long deadlineNanos) {
            this.place = place;
            this.kinds = new ArrayDeque<>(kinds.stream().sorted().toList());
            this.deadlineNanos = deadlineNanos;
        }

        CompletableFuture<Optional<ContextView>> begin() {
            return connect(this::askNext);
        }

        /** Empty for a context of another process. */
        CompletableFuture<Optional<ContextView>> switchMeasuring(boolean on, OptionalLong pid) {
            return connect(home -> {
                if (pid.isPresent() && !process.equals("pid " + pid.getAsLong())) {
                    view.complete(Optional.empty());
                } else if ((home.peer().features() & ControlCodec.FEATURE_MEASURE) == 0) {
                    end(new UrmaException(UrmaStatus.FAIL, home.peer(), "has a version that cannot be measured"));
                } else {
                    var _ = context.askCore(home, Done.class, n -> new Measure(n, on), deadlineNanos)
                            .whenComplete((_, failure) -> {
                                if (failure != null) {
                                    end(failure);
                                } else {
                                    end("");
                                }
                            });
                }
            });
        }

        private CompletableFuture<Optional<ContextView>> connect(Consumer<Path> then) {
            var _ = context.connect(place.at(), place.incarnation(), deadlineNanos)
                    .whenComplete((home, failure) -> {
                        if (failure != null) {
                            end(failure);
                        } else {
                            process = home.peer().process();
                            then.accept(home);
                        }
                    });
            return view;
        }

        private void askNext(Path home) {
            if ((home.peer().features() & ControlCodec.FEATURE_INSPECT) == 0) {
                end(new UrmaException(UrmaStatus.FAIL, home.peer(), "has a version that cannot be inspected"));
            } else if (kinds.isEmpty()) {
                end("");
            } else {
                ask(home, kinds.remove(), -1);
            }
        }

        private void ask(Path home, Resource.Kind kind, long after) {
            if (++pages > MAX_PAGES) {
                end("limit of " + MAX_PAGES + " pages reached");
                return;
            }
            int number = ResourceText.number(kind);
            var _ = context.askCore(home, Inspected.class, n -> new Inspect(n, number, after), deadlineNanos)
                    .whenComplete((page, failure) -> {
                        if (failure != null) {
                            end(failure);
                        } else {
                            take(home, kind, after, page);
                        }
                    });
        }

        private void take(Path home, Resource.Kind kind, long after, Inspected page) {
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
                askNext(home);
            } else if (last == after) {
                end("the peer repeated a page");
            } else {
                ask(home, kind, last);
            }
        }

        private void end(Throwable failure) {
            end(String.valueOf(EngineThread.causeOf(failure).getMessage()));
        }

        private void end(String failure) {
            view.complete(Optional.of(new ContextView(place.uasid(), place.incarnation(), process, found, failure)));
        }
    }
}
