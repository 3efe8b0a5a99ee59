package io.urma4j.tck;

import io.urma4j.Region;
import io.urma4j.SharedSegment;
import java.util.List;

/** A region of a home in this process. */
final class LocalHomeRegion implements HomeRegion {
    private final Region region;

    LocalHomeRegion(Region region) {
        this.region = region;
    }

    @Override
    public void append(List<SharedSegment> segments) {
        region.append(segments);
    }

    @Override
    public void remove(long offset) {
        region.remove(offset);
    }

    @Override
    public long lengthBytes() {
        return region.lengthBytes();
    }

    @Override
    public int size() {
        return region.members().size();
    }

    @Override
    public void close() {
        region.close();
    }
}
