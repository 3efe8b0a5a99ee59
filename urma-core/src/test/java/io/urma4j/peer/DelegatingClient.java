package io.urma4j.peer;

import java.util.List;

/** A client that answers like another one, except where a test overrides it. */
class DelegatingClient implements PeerMemoryClient {
    private final PeerMemoryClient other;

    DelegatingClient(PeerMemoryClient other) {
        this.other = other;
    }

    @Override
    public String name() {
        return other.name();
    }

    @Override
    public ClientVersion version() {
        return other.version();
    }

    @Override
    public ClientStyle style() {
        return other.style();
    }

    @Override
    public List<PeerDevice> devices() {
        return other.devices();
    }

    @Override
    public Ownership acquire(DeviceRange range) {
        return other.acquire(range);
    }

    @Override
    public DmaEngine engine(int ordinal) {
        return other.engine(ordinal);
    }
}
