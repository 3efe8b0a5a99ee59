package io.urma4j.tools;

import io.urma4j.ContextOptions;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.peer.DeviceMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The library with a context on one device, open for the time of a command. */
public final class Session implements AutoCloseable {
    private final Urma urma;
    private final UrmaContext context;
    private final MemoryChoice memory;

    private Session(Urma urma, UrmaContext context, MemoryChoice memory) {
        this.urma = urma;
        this.context = context;
        this.memory = memory;
    }

    /** Opens the device with this name; with null the usual one, see {@link Urma#device()}. */
    public static Session open(@Nullable String deviceName) {
        return open(deviceName, 0, MemoryChoice.HOST);
    }

    /** The same, on the endpoint with this index among {@link UrmaDevice#eids()}, and with the devices of that memory. */
    public static Session open(@Nullable String deviceName, int eidIndex, MemoryChoice memory) {
        Urma urma = Urma.open(memory.options());
        try {
            UrmaDevice device = deviceName == null ? urma.device() : device(urma, deviceName);
            return new Session(urma, device.openContext(eidIndex, ContextOptions.DEFAULT), memory);
        } catch (RuntimeException e) {
            urma.close();
            throw e;
        }
    }

    /**
     * The device with this name.
     *
     * @throws CommandFailure naming those that there are
     */
    public static UrmaDevice device(Urma urma, String name) {
        List<String> names =
                urma.devices().stream().map(device -> device.name()).toList();
        if (!names.contains(name) && !names.isEmpty() && urma.absentProviders().isEmpty()) {
            throw new CommandFailure("no device '" + name + "'; there " + (names.size() == 1 ? "is " : "are ")
                    + Words.joined(names, "and"));
        }
        return urma.device(name); // which says why its provider does not work
    }

    /** Opens the first device of a provider, for example {@code shm}. */
    static Session openKind(List<String> kinds) {
        Urma urma = Urma.open();
        try {
            return new Session(urma, deviceOfKind(urma, kinds).openContext(), MemoryChoice.HOST);
        } catch (RuntimeException e) {
            urma.close();
            throw e;
        }
    }

    private static UrmaDevice deviceOfKind(Urma urma, List<String> kinds) {
        for (String kind : kinds) {
            for (UrmaDevice device : urma.devices()) {
                if (device.attributes().provider().equals(kind)) {
                    return device;
                }
            }
        }
        throw new CommandFailure("this machine has no device of kind " + String.join(" or ", kinds)
                + "; see 'urma devices'" + " for those that work, and 'urma doctor' for the reasons");
    }

    public UrmaContext context() {
        return context;
    }

    /** The memory that the command was asked to use. */
    public MemoryChoice memory() {
        return memory;
    }

    /** Allocates that memory, if it is a device's. The session frees it. */
    public DeviceMemory allocateOnDevice(long lengthBytes) {
        return memory.allocate(urma, lengthBytes);
    }

    /** Closes everything. If the command was interrupted, the close is not. */
    @Override
    public void close() {
        Ending.of(urma);
    }
}
