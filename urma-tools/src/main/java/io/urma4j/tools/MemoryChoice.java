package io.urma4j.tools;

import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerDeviceName;
import org.jspecify.annotations.Nullable;

/** Which memory a command uses, as {@code --memory} names it: the host's, or that of a device. */
public final class MemoryChoice {
    public static final MemoryChoice HOST = new MemoryChoice(null);

    /** Of a simulated NPU that no setting describes. */
    private static final long SIMULATED_BYTES = 8L << 30;

    private static final String HOST_WORD = "host";

    private final @Nullable PeerDeviceName device; // null for the host

    private MemoryChoice(@Nullable PeerDeviceName device) {
        this.device = device;
    }

    /**
     * Parses {@code host}, or a device such as {@code npu:0}.
     *
     * @throws io.urma4j.UrmaException EINVAL if the text is neither
     */
    public static MemoryChoice parse(String text) {
        return text.equals(HOST_WORD) ? HOST : new MemoryChoice(PeerDeviceName.parse(text));
    }

    public boolean isHost() {
        return device == null;
    }

    /** The options of a library that has this memory. */
    UrmaOptions options() {
        return device == null ? UrmaOptions.DEFAULT : device.simulatedIn(UrmaOptions.DEFAULT, SIMULATED_BYTES);
    }

    /** Memory of the device, freed with the library. */
    DeviceMemory allocate(Urma urma, long lengthBytes) {
        if (device == null) {
            throw new IllegalStateException("the memory of the host is no device memory");
        }
        return urma.peerMemory().allocate(device.client(), device.ordinal(), lengthBytes);
    }

    @Override
    public String toString() {
        return device == null ? HOST_WORD : device.toString();
    }
}
