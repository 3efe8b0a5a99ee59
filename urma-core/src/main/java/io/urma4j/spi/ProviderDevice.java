package io.urma4j.spi;

import io.urma4j.ContextOptions;
import io.urma4j.DeviceAttributes;
import io.urma4j.Eid;
import java.util.List;

/** A device of a provider. Safe for any number of threads. */
public interface ProviderDevice extends AutoCloseable {
    DeviceAttributes attributes();

    /** Its name, such as {@code shm0}; a cheap call. */
    default String name() {
        return attributes().name();
    }

    /** The endpoints of this device, at least one. */
    List<Eid> eids();

    /**
     * Opens an address space on the endpoint with the given index, which the caller has checked.
     *
     * @param events callbacks for asynchronous events; may be called from any thread, must not block
     */
    ProviderContext openContext(int eidIndex, ContextOptions options, ContextEvents events);

    @Override
    void close();
}
