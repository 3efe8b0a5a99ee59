package io.urma4j;

import io.urma4j.internal.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several objects of one context, in order (S4.4). */
final class Batch {
    private Batch() {}

    static void close(UrmaContext context, List<? extends @Nullable ContextObject> objects) {
        for (int i = 0; i < objects.size(); i++) {
            check(context, i, objects.get(i));
        }
        for (int i = 0; i < objects.size(); i++) {
            ContextObject next = objects.get(i);
            try {
                if (next != null) {
                    next.close();
                }
            } catch (UrmaException e) {
                throw new BatchCloseException(i, objects.size(), e);
            }
        }
    }

    private static void check(UrmaContext context, int index, @Nullable ContextObject object) {
        if (object == null) {
            throw Checks.invalid(context, "element " + index + " of the batch is null");
        }
        if (object.context() != context) {
            throw Checks.invalid(
                    context, "element " + index + " of the batch, " + object + ", belongs to " + object.context());
        }
    }
}
