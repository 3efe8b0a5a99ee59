package io.urma4j.shm;

import io.urma4j.ContextOptions;
import io.urma4j.DeviceAttributes;
import io.urma4j.Eid;
import io.urma4j.Opcode;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaOptions;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderDevice;
import java.util.EnumSet;
import java.util.List;

/** The one device of shared memory: {@code shm0}. */
final class ShmDevice implements ProviderDevice {
    static final String NAME = "shm0";

    private final UrmaOptions options;
    private final Eid eid;
    private final DeviceAttributes attributes;

    ShmDevice(UrmaOptions options, Eid eid) {
        this.options = options;
        this.eid = eid;
        long largest = RingLayout.MAX_MESSAGE_BYTES; // S3.3
        this.attributes = new DeviceAttributes(
                NAME,
                ShmProvider.NAME,
                DeviceAttributes.Capabilities.builder()
                        .modes(EnumSet.allOf(TransportMode.class))
                        .opcodes(EnumSet.allOf(Opcode.class))
                        .tokenPolicies(EnumSet.of(TokenPolicy.NONE, TokenPolicy.PLAIN_TEXT))
                        .immediateBits(64)
                        .tearFreeBytes(8)
                        .oneSided(true)
                        .mappable(true)
                        .sharedTokenIds(true)
                        .windows(true)
                        .cpuAtomics(true)
                        .deviceMemory(true)
                        .build(),
                new DeviceAttributes.Limits(
                        65_536,
                        16_384,
                        32_768,
                        16,
                        208,
                        largest,
                        largest,
                        Long.MAX_VALUE >> 8,
                        4_096,
                        ShmReceiveQueue.MAX_RNR_MICROS),
                List.of(new DeviceAttributes.Port(1, true, RingLayout.CHUNK_BYTES)),
                "sealed memfds mapped by both processes; the posting thread copies");
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public List<Eid> eids() {
        return List.of(eid);
    }

    @Override
    public ProviderContext openContext(int eidIndex, ContextOptions contextOptions, ContextEvents events) {
        return new ShmContext(options, eid, contextOptions, events);
    }

    @Override
    public void close() {
        // contexts own everything
    }
}
