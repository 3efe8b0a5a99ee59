package io.urma4j;

import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.UrmaProvider;
import java.util.List;

/** A provider that does not work on this machine. */
public final class BrokenProvider implements UrmaProvider {
    @Override
    public String name() {
        return "broken";
    }

    @Override
    public List<ProviderDevice> devices(UrmaOptions options) {
        throw new UrmaException(UrmaStatus.FAIL, "provider broken", "there is no moon");
    }
}
