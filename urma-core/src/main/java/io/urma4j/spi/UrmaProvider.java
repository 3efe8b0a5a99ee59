package io.urma4j.spi;

import io.urma4j.UrmaOptions;
import java.util.List;

/**
 * A kind of remote memory: found by {@link java.util.ServiceLoader}, asked once per {@code Urma} for its devices.
 *
 * <p>Reading order of this package: this type, {@link ProviderDevice}, {@link ProviderContext}, then the queues
 * {@link ProviderSendQueue}, {@link ProviderReceiveQueue}, {@link ProviderJfc}.
 */
public interface UrmaProvider {
    /** Short name: the first part of its devices' names and of {@code kind:name} addresses, for example {@code shm}. */
    String name();

    /**
     * The devices that this machine offers. A provider that cannot work here returns a device-less list only when it
     * has nothing to say; otherwise it throws with the reason, which the user sees when he names the device.
     */
    List<ProviderDevice> devices(UrmaOptions options);
}
