package io.urma4j.tools;

import io.urma4j.ContextOptions;
import io.urma4j.DeviceAttributes;
import io.urma4j.DeviceAttributes.Capabilities;
import io.urma4j.DeviceAttributes.Limits;
import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.UrmaProvider;
import java.util.List;

/** A provider with one device, whose contexts cannot be opened: every test of it fails. */
public final class DeafProvider implements UrmaProvider {
    @Override
    public String name() {
        return "deaf";
    }

    @Override
    public List<ProviderDevice> devices(UrmaOptions options) {
        return List.of(new Device());
    }

    /** The device. */
    private static final class Device implements ProviderDevice {
        @Override
        public DeviceAttributes attributes() {
            var nothing = Capabilities.builder().build();
            return new DeviceAttributes(
                    "deaf0", "deaf", nothing, new Limits(1, 1, 1, 1, 0, 1, 1, 1, 1, 1), List.of(), "nowhere");
        }

        @Override
        public List<Eid> eids() {
            return List.of(Eid.parse("10.0.0.1"));
        }

        @Override
        public ProviderContext openContext(int eidIndex, ContextOptions options, ContextEvents events) {
            throw new UrmaException(UrmaStatus.FAIL, "deaf0", "the device is deaf");
        }

        @Override
        public void close() {}
    }
}
