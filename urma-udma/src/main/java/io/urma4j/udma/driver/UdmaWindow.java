package io.urma4j.udma.driver;

import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;

/**
 * A window of an import: a separate key at the peer's card. A revocation sends no notification; the first refused operation
 * shows it. Any thread.
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
        // nothing to announce: the home's card checks the key
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
