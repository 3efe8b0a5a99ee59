package io.urma4j.udma.driver;

import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;

/**
 * A window of an import: a key of its own at the peer's card. Nobody tells that it was taken back; the first operation
 * that is refused does. Any thread.
 */
final class UdmaWindow implements ProviderWindow {
    private final UdmaImport part;

    UdmaWindow(UdmaImport part) {
        this.part = part;
    }

    @Override
    public ProviderImport begin() {
        return part;
    }

    @Override
    public void end() {
        // nothing is announced: the home's card looks at the key
    }

    @Override
    public boolean isTakenBack() {
        return part.isRevoked();
    }

    @Override
    public int unfinished() {
        return part.unfinished();
    }
}
