package io.urma4j.udma.device;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Objects by small handles, 1 and up, which are reused. */
final class Handles<T> implements Iterable<T> {
    private final List<@Nullable T> objects = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();

    Handles() {
        objects.add(null);
    }

    /** The handle that the next object gets. */
    int next() {
        return free.isEmpty() ? objects.size() : free.getLast();
    }

    /** Adds the object that was born with the {@link #next} handle, and returns that. */
    int add(T object) {
        if (free.isEmpty()) {
            objects.add(object);
            return objects.size() - 1;
        }
        int handle = free.removeLast();
        objects.set(handle, object);
        return handle;
    }

    /** The object with the handle. */
    T get(int handle) {
        T object = find(handle);
        if (object == null) {
            throw new IllegalArgumentException("nothing has the handle " + handle);
        }
        return object;
    }

    /** The object with the handle; null if there is none. */
    @Nullable
    T find(int handle) {
        return handle > 0 && handle < objects.size() ? objects.get(handle) : null;
    }

    void remove(int handle) {
        if (find(handle) != null) {
            objects.set(handle, null);
            free.add(handle);
        }
    }

    /** The objects that have a handle now; some may lose it meanwhile. */
    @Override
    public Iterator<T> iterator() {
        List<T> present = new ArrayList<>();
        for (T object : objects) {
            if (object != null) {
                present.add(object);
            }
        }
        return present.iterator();
    }
}
