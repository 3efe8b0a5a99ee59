package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.spi.ProviderDevice;
import java.util.List;

/** A device: it carries operations to other address spaces. Safe for any number of threads. */
public final class UrmaDevice {
    private final Urma urma;
    private final ProviderDevice provider;
    private final String name;

    UrmaDevice(Urma urma, ProviderDevice provider) {
        this.urma = urma;
        this.provider = provider;
        this.name = provider.name();
    }

    public String name() {
        return name;
    }

    /** Its current attributes; port states may change from call to call. */
    public DeviceAttributes attributes() {
        return provider.attributes();
    }

    /** Its endpoints, by index. */
    public List<Eid> eids() {
        return provider.eids();
    }

    /** Opens an address space on the first endpoint. */
    public UrmaContext openContext() {
        return openContext(0, ContextOptions.DEFAULT);
    }

    /**
     * Opens an address space.
     *
     * @param eidIndex index into {@link #eids()}
     * @throws UrmaException EINVAL for a wrong index; ENOMEM if a resource of the machine is exhausted
     */
    public UrmaContext openContext(int eidIndex, ContextOptions options) {
        Checks.inRange(this, "eidIndex", eidIndex, 0, eids().size() - 1);
        Checks.positive(this, "closeTimeout", options.closeTimeout());
        Checks.positive(this, "importTimeout", options.importTimeout());
        return UrmaContext.open(urma.children(), this, provider, eidIndex, options);
    }

    void shutDown() {
        provider.close();
    }

    @Override
    public String toString() {
        return "device " + name();
    }
}
