package io.urma4j.tck;

import io.urma4j.WindowGrant;

/** A window of a home in this process. */
final class LocalHomeGrant implements HomeGrant {
    private final WindowGrant grant;

    LocalHomeGrant(WindowGrant grant) {
        this.grant = grant;
    }

    @Override
    public String key() {
        return grant.key().toText();
    }

    @Override
    public boolean takeBack() {
        return grant.takeBack();
    }

    @Override
    public boolean isQuiet() {
        return grant.isQuiet();
    }
}
