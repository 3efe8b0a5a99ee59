package io.urma4j.tools.admin;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * The counters of a context's path at a point in time.
 *
 * @param process the process of the context, as text
 * @param atNanos of {@link System#nanoTime}
 */
record PathSample(Key key, int uasid, String process, Resource path, long atNanos) {
    /** Which path: its context is one of a device, unique in time. */
    record Key(String device, long incarnation, long path) {}

    /** All paths of some contexts of a device. */
    static List<PathSample> of(String device, List<ContextView> contexts, long atNanos) {
        List<PathSample> samples = new ArrayList<>();
        for (ContextView context : contexts) {
            for (Resource path : context.resources(Kind.TP)) {
                Key key = new Key(device, context.incarnation(), path.id());
                samples.add(new PathSample(key, context.uasid(), context.process(), path, atNanos));
            }
        }
        return samples;
    }

    /** The value of a counter; 0 when the path has none of that name. */
    long value(String counter) {
        String text = path.field(counter);
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }
}
