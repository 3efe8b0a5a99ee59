package io.urma4j.peer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to pin.
 *
 * @param client the name of its owner; null to ask all clients in the order of their registration
 * @param writable whether peers may write it
 * @param devices that will access the pages
 * @param revocable whether keys for it can be revoked; without, a client whose memory can vanish is passed over
 */
public record PinRequest(
        @Nullable String client, DeviceRange range, boolean writable, List<DmaDevice> devices, boolean revocable) {
    public PinRequest {
        devices = List.copyOf(devices);
    }
}
