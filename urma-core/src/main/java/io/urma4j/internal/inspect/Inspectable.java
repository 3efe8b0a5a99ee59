package io.urma4j.internal.inspect;

import io.urma4j.Resource;
import java.util.List;

/** A child of a context that describes itself, by resources of its own kinds. Any thread may ask. */
public interface Inspectable extends AutoCloseable {
    /** Its resources of a kind, with numbers that no other child uses; empty for a kind that is not its own. */
    List<Resource> resources(Resource.Kind kind);

    @Override
    void close();
}
