package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.NativeAccess;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.UrmaProvider;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Remote memory over an IP network: a device {@code udma0} at the first address, {@code udma1} at the next. */
public final class UdmaProvider implements UrmaProvider {
    /** For {@link java.util.ServiceLoader}. */
    public UdmaProvider() {}

    @Override
    public String name() {
        return UdmaDevice.PROVIDER;
    }

    @Override
    public List<ProviderDevice> devices(UrmaOptions options) {
        Optional<String> refusal = NativeAccess.refusal();
        if (refusal.isPresent()) {
            throw new UrmaException(UrmaStatus.FAIL, "provider udma", refusal.get());
        }
        List<ProviderDevice> devices = new ArrayList<>();
        List<InetAddress> addresses = LocalAddresses.of(options);
        Capture capture = new Capture(options, addresses.size());
        for (InetAddress address : addresses) {
            devices.add(new UdmaDevice(UdmaDevice.PROVIDER + devices.size(), options, address, capture));
        }
        return devices;
    }
}
