package io.urma4j.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerDeviceName;
import io.urma4j.peer.PeerMemory;

/**
 * Whose device memory the contracts use: that of the system property {@value #PROPERTY}, as {@code client:ordinal}, by default of a
 * simulated NPU. Without such a client here they are skipped.
 */
public final class DevicesUnderTest {
    /** Names client and device, such as {@code cuda:0}. */
    public static final String PROPERTY = "urma.tck.memory";

    private static final String USUAL = "npu:0";
    private static final String SIMULATION = "urma.npu";

    /** A page takes 2 ms. */
    private static final String SLOW = ",rate=2M";

    /** Of a simulated NPU. */
    private static final long SIMULATED_BYTES = 256L << 20;

    private DevicesUnderTest() {}

    /** Client and device. */
    static String name() {
        return device().toString();
    }

    private static PeerDeviceName device() {
        return PeerDeviceName.parse(System.getProperty(PROPERTY, USUAL));
    }

    /**
     * The options of a library in a test: it simulates NPUs if they are asked for.
     *
     * @param isShared whether simulated NPUs share memory with other processes, and open theirs
     * @param isSlow whether simulated NPUs copy slowly
     */
    static UrmaOptions options(UrmaOptions options, boolean isShared, boolean isSlow) {
        UrmaOptions simulated = device().simulatedIn(options, SIMULATED_BYTES);
        String more = (isShared ? ",ipc=true" : "") + (isSlow ? SLOW : "");
        return simulated
                .setting(SIMULATION)
                .map(setting -> simulated.withSetting(SIMULATION, setting + more))
                .orElse(simulated);
    }

    /** Memory of that device, freed with the library. */
    static DeviceMemory allocate(Urma urma, long lengthBytes) {
        PeerMemory memory = urma.peerMemory();
        PeerDeviceName device = device();
        boolean isThere =
                memory.clients().stream().anyMatch(client -> client.name().equals(device.client()));
        assumeTrue(isThere, () -> "no client " + device.client() + " here: " + memory.absentClients());
        return memory.allocate(device.client(), device.ordinal(), lengthBytes);
    }
}
