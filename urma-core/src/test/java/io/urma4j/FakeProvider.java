package io.urma4j;

import io.urma4j.DeviceAttributes.Capabilities;
import io.urma4j.DeviceAttributes.Limits;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.UrmaProvider;
import java.util.EnumSet;
import java.util.List;

/**
 * A provider that moves no bytes: it records what the control plane passes on, and gives the answers that a test sets.
 * It serves tests of the checks before the provider.
 */
public final class FakeProvider implements UrmaProvider {
    static final String DEVICE = "fake0";

    static final Limits LIMITS = new Limits(1024, 256, 256, 4, 208, 1 << 20, 1 << 28, 1 << 30, 16, 5000);

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public List<ProviderDevice> devices(UrmaOptions options) {
        return List.of(new Device());
    }

    /** The one device. */
    private static final class Device implements ProviderDevice {
        private static final DeviceAttributes ATTRIBUTES = new DeviceAttributes(
                DEVICE,
                "fake",
                Capabilities.builder()
                        .modes(EnumSet.allOf(TransportMode.class))
                        .opcodes(EnumSet.allOf(Opcode.class))
                        .tokenPolicies(EnumSet.of(TokenPolicy.NONE, TokenPolicy.PLAIN_TEXT))
                        .immediateBits(32)
                        .tearFreeBytes(8)
                        .oneSided(true)
                        .cpuAtomics(true)
                        .build(),
                LIMITS,
                List.of(),
                "nowhere, for tests");

        private int contexts;

        @Override
        public DeviceAttributes attributes() {
            return ATTRIBUTES;
        }

        @Override
        public List<Eid> eids() {
            return List.of(Descriptors.EID);
        }

        @Override
        public ProviderContext openContext(int eidIndex, ContextOptions options, ContextEvents events) {
            return new FakeContext(++contexts, events);
        }

        @Override
        public void close() {}
    }
}
