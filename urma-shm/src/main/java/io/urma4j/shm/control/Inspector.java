package io.urma4j.shm.control;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlCodec;
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

/**
 * Looks into the other contexts of the runtime directory: kind by kind, and a page of each at a time, so that neither an
 * answer nor the work for one is long. On the engine's thread.
 */
final class Inspector {
    /** A context that sends page after page without an end is left at that. */
    private static final int MAX_PAGES = 2000;

    private final RuntimeDirectory directory;
    private final PeerId self;
    private final Peers peers;
    private final Requests requests;

    Inspector(RuntimeDirectory directory, PeerId self, Peers peers, Requests requests) {
        this.directory = directory;
        this.self = self;
        this.peers = peers;
        this.requests = requests;
    }

    CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, long deadlineNanos) {
        return all(resident -> new Look(resident, kinds, deadlineNanos).begin());
    }

    /** Has the contexts of one process, or all, take the times of their steps, or not any more. */
    CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, long deadlineNanos) {
        return all(resident -> new Look(resident, Set.of(), deadlineNanos).switchMeasuring(on, pid));
    }

    private CompletableFuture<List<ContextView>> all(
            Function<RuntimeDirectory.Resident, CompletableFuture<Optional<ContextView>>> look) {
        List<ContextView> views = new ArrayList<>();
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (RuntimeDirectory.Resident resident : directory.residents()) {
            if (!resident.id().equals(self)) {
                asked.add(look.apply(resident).thenAccept(view -> view.ifPresent(views::add)));
            }
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            views.sort(Comparator.comparingInt(ContextView::uasid));
            return List.copyOf(views);
        });
    }

    /** The questions to one context. */
    private final class Look {
        private final RuntimeDirectory.Resident resident;
        private final long deadlineNanos;
        private final Deque<Resource.Kind> kinds;
        private final List<Resource> found = new ArrayList<>();
        private final CompletableFuture<Optional<ContextView>> view = new CompletableFuture<>();
        private String process = "unknown";
        private int pages;

        Look(RuntimeDirectory.Resident resident, Set<Resource.Kind> kinds, long deadlineNanos) {
            this.resident = resident;
            this.kinds = new ArrayDeque<>(kinds.stream().sorted().toList());
            this.deadlineNanos = deadlineNanos;
        }

        CompletableFuture<Optional<ContextView>> begin() {
            return connect(this::askNext);
        }

        /** Empty for a context of another process. */
        CompletableFuture<Optional<ContextView>> switchMeasuring(boolean on, OptionalLong pid) {
            return connect(peer -> {
                if (pid.isPresent() && pid.getAsLong() != peer.pid()) {
                    view.complete(Optional.empty());
                } else if ((peer.features() & ControlCodec.FEATURE_MEASURE) == 0) {
                    end(new UrmaException(UrmaStatus.FAIL, peer, "has a version that cannot be measured"));
                } else {
                    var _ = requests.ask(peer, deadlineNanos, request -> new Measure(request, on))
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

        private CompletableFuture<Optional<ContextView>> connect(Consumer<Peer> then) {
            var _ = peers.connect(resident.id(), deadlineNanos).whenComplete((peer, failure) -> {
                if (failure != null) {
                    end(failure);
                } else {
                    process = peer.pid() == 0 ? "in another pid namespace" : "pid " + peer.pid();
                    then.accept(peer);
                }
            });
            return view;
        }

        private void askNext(Peer peer) {
            if ((peer.features() & ControlCodec.FEATURE_INSPECT) == 0) {
                end(new UrmaException(UrmaStatus.FAIL, peer, "has a version that cannot be inspected"));
            } else if (kinds.isEmpty()) {
                end("");
            } else {
                ask(peer, kinds.remove(), -1);
            }
        }

        private void ask(Peer peer, Resource.Kind kind, long after) {
            if (++pages > MAX_PAGES) {
                end("limit of " + MAX_PAGES + " pages reached");
                return;
            }
            int number = ResourceText.number(kind);
            var _ = requests.ask(peer, deadlineNanos, request -> new Inspect(request, number, after))
                    .whenComplete((reply, failure) -> {
                        if (failure != null) {
                            end(failure);
                        } else {
                            take(peer, kind, after, reply);
                        }
                    });
        }

        private void take(Peer peer, Resource.Kind kind, long after, Requests.Reply reply) {
            long last = after;
            try {
                Inspected page = reply.as(Inspected.class);
                for (String text : page.resources()) {
                    Resource resource = ResourceText.parse(kind, text);
                    found.add(resource);
                    last = Math.max(last, resource.id());
                }
                if (page.complete()) {
                    askNext(peer);
                } else if (last == after) {
                    end("the peer repeated a page");
                } else {
                    ask(peer, kind, last);
                }
            } catch (UrmaException | IllegalArgumentException e) {
                end(e);
            }
        }

        private void end(Throwable failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            end(String.valueOf(cause.getMessage()));
        }

        private void end(String failure) {
            view.complete(Optional.of(
                    new ContextView(resident.uasid(), resident.id().incarnation(), process, found, failure)));
        }
    }
}
