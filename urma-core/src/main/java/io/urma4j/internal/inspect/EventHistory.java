package io.urma4j.internal.inspect;

import io.urma4j.AsyncEvent;
import io.urma4j.Resource;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;

/** The last asynchronous events of a context in words, including those that its user has taken. Safe for any thread. */
final class EventHistory {
    private static final int MOST = 128;

    private final ArrayDeque<Resource> last = new ArrayDeque<>(); // this and the next guarded by this
    private long raised;

    synchronized void add(AsyncEvent event) {
        if (last.size() == MOST) {
            last.poll();
        }
        last.add(Resource.builder(Resource.Kind.EVENT, ++raised)
                .add("time", Instant.now())
                .add("type", event.type())
                .add("object", event.object())
                .add("detail", event.detail())
                .build());
    }

    /** Oldest first; their ids count all events that were raised. */
    synchronized List<Resource> resources() {
        return List.copyOf(last);
    }
}
