package io.urma4j.spi;

import io.urma4j.UrmaOptions;
import java.util.List;

/**
 * A kind of remote memory: found by {@link java.util.ServiceLoader}, and asked for its devices once per {@code Urma}.
 *
 * <p>Reading order of this package: this type, {@link ProviderDevice}, {@link ProviderContext}, then the queues {@link
 * ProviderSendQueue}, {@link ProviderReceiveQueue}, {@link ProviderJfc}.
 */
public interface UrmaProvider {
    /** Short name: the first part of its devices' names and of {@code kind:name} addresses, for example {@code shm}. */
    String name();

    /**
     * The devices of this machine. A provider that cannot work here throws with the reason, which the user sees on request
     * of the device; it returns an empty list only if there is no reason to report.
     */
    List<ProviderDevice> devices(UrmaOptions options);
}
