package io.urma4j.tck;

import io.urma4j.SharedSegment;
import java.util.List;

/** A region at its owner. */
public interface HomeRegion extends HomeObject {
    void append(List<SharedSegment> segments);

    /** Removes the member that begins at {@code offset}. */
    void remove(long offset);

    long lengthBytes();

    int size();

    void close();
}
