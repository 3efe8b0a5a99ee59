package io.urma4j.udma.udp;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How packets pass to and from the kernel, fastest backend first. */
public enum IoBackend {
    /** Packets of equal length to one peer are one datagram for the kernel, which splits it; likewise on receive. */
    GSO("UDP GSO and GRO"),
    /** Many datagrams per system call. */
    MMSG("sendmmsg and recvmmsg"),
    /** The JDK's own channel, one datagram per call; IPv4 only. */
    CHANNEL("DatagramChannel");

    private final String title;

    IoBackend(String title) {
        this.title = title;
    }

    /**
     * Parses the setting {@code urma.udma.io}: null and "auto" let the port choose.
     *
     * @throws IllegalArgumentException listing the valid values
     */
    public static @Nullable IoBackend parse(@Nullable String text) {
        if (text == null || text.isEmpty() || text.equalsIgnoreCase("auto")) {
            return null;
        }
        for (IoBackend backend : values()) {
            if (backend.name().equals(text.toUpperCase(Locale.ROOT))) {
                return backend;
            }
        }
        throw new IllegalArgumentException("backend '" + text + "' is none of auto, gso, mmsg, channel");
    }

    @Override
    public String toString() {
        return title;
    }
}
