package io.urma4j.bench;

import io.urma4j.UrmaOptions;

/**
 * The network that programs here measure, of urma4j as of its peers: 127.0.0.1, unless the user names addresses. For
 * another address of the host, the kernel would look up the route again for each packet.
 */
public final class Loopback {
    private static final String ADDRESSES = "urma.udma.addresses";
    private static final UrmaOptions OPTIONS =
            UrmaOptions.DEFAULT.setting(ADDRESSES).isPresent()
                    ? UrmaOptions.DEFAULT
                    : UrmaOptions.DEFAULT.withSetting(ADDRESSES, "127.0.0.1");

    private Loopback() {}

    /** For a library whose network devices are on it. */
    public static UrmaOptions options() {
        return OPTIONS;
    }
}
