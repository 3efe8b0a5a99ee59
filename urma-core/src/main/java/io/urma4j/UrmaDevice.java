package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.flight.Flight;
import io.urma4j.internal.inspect.Library;
import io.urma4j.spi.ProviderDevice;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** A device: it carries operations to other address spaces. Safe for any number of threads. */
public final class UrmaDevice {
    private final ProviderDevice provider;
    private final Supplier<ClosingOrder> siblings;
    private final Function<UrmaContext, Library> library;
    private final String name;

    /**
     * A device of a library.
     *
     * @param siblings what its contexts become; refuses once the library is closed
     * @param library what a context knows of its library
     */
    UrmaDevice(ProviderDevice provider, Supplier<ClosingOrder> siblings, Function<UrmaContext, Library> library) {
        this.provider = provider;
        this.siblings = siblings;
        this.library = library;
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
        ClosingOrder all = siblings.get();
        UrmaContext opened = all.add(new UrmaContext(all, this, provider, eidIndex, options), 0);
        Flight.contextOpened(opened);
        return opened;
    }

    /** What a context knows of its library. */
    Library library(UrmaContext context) {
        return library.apply(context);
    }

    void shutDown() {
        provider.close();
    }

    @Override
    public String toString() {
        return "device " + name();
    }
}
