package io.urma4j.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerMemory;

/**
 * Whose device memory the contracts use: that of the system property {@value #PROPERTY}, as {@code client:ordinal}, by default of a
 * simulated NPU. Without such a client here they are skipped.
 */
public final class DevicesUnderTest {
    /** Names client and device, such as {@code cuda:0}. */
    public static final String PROPERTY = "urma.tck.memory";

    private static final String SIMULATED = "npu";

    private DevicesUnderTest() {}

    /** Client and device. */
    static String name() {
        return System.getProperty(PROPERTY, SIMULATED + ":0");
    }

    private static String client() {
        String name = name();
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    private static int ordinal() {
        String name = name();
        int colon = name.indexOf(':');
        return colon < 0 ? 0 : Integer.parseInt(name.substring(colon + 1));
    }

    /** The options of a library in a test: it simulates NPUs if they are asked for. */
    static UrmaOptions options(UrmaOptions options) {
        return client().equals(SIMULATED) ? options.withSetting("urma.npu", String.valueOf(ordinal() + 1)) : options;
    }

    /** Memory of that device, freed with the library. */
    static DeviceMemory allocate(Urma urma, long lengthBytes) {
        PeerMemory memory = urma.peerMemory();
        boolean isThere =
                memory.clients().stream().anyMatch(client -> client.name().equals(client()));
        assumeTrue(isThere, () -> "no client " + client() + " here: " + memory.absentClients());
        return memory.allocate(client(), ordinal(), lengthBytes);
    }
}
