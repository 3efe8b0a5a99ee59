package io.urma4j.tck;

import io.urma4j.peer.ClientStyle;
import io.urma4j.peer.ClientVersion;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceEvent;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaEngine;
import io.urma4j.peer.Ownership;
import io.urma4j.peer.PeerDevice;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerMemoryClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A client of a device without memory, whose work ends when a test says so. Safe for any thread. */
final class ManualEvents implements PeerMemoryClient, DmaEngine {
    private static final String NAME = "manual";

    private final Map<Long, EventListener> listeners = new HashMap<>(); // guarded by this

    /** An event that is in progress. */
    static DeviceEvent begin(PeerMemory memory, long event) {
        return memory.event(NAME, 0, event);
    }

    @Override
    public synchronized void whenDone(long event, EventListener listener) {
        if (event < 0) {
            throw new IllegalStateException("the library has failed");
        }
        listeners.put(event, listener);
    }

    /** The work before an event is finished. */
    void end(long event) {
        listener(event).ended(null);
    }

    /** The work before an event has failed. */
    void fail(long event) {
        listener(event).ended(new IllegalStateException("a kernel has faulted"));
    }

    private synchronized EventListener listener(long event) {
        return Objects.requireNonNull(listeners.get(event), "an event that has begun");
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ClientVersion version() {
        return new ClientVersion(1, 0);
    }

    @Override
    public ClientStyle style() {
        return ClientStyle.UNMAPS;
    }

    @Override
    public List<PeerDevice> devices() {
        return List.of(new PeerDevice(0, "device of a test", "", "", 0));
    }

    @Override
    public Ownership acquire(DeviceRange range) {
        return Ownership.NOT_MINE;
    }

    @Override
    public DmaEngine engine(int ordinal) {
        return this;
    }

    @Override
    public CopyStream openStream() {
        throw new IllegalStateException("it has no memory");
    }

    @Override
    public void flush(DeviceRange range) {
        throw new IllegalStateException("it has no memory");
    }

    @Override
    public int maxInFlight() {
        return 1;
    }

    @Override
    public long fragmentBytes() {
        return 1;
    }

    @Override
    public long alignmentBytes() {
        return 1;
    }
}
