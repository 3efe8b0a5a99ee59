package io.urma4j.udma.udp;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How packets pass between us and the kernel, the fastest way first. */
public enum IoBackend {
    /** Packets of equal length to one peer are one datagram for the kernel, which cuts it; likewise on receive. */
    GSO("gso", "UDP GSO and GRO"),
    /** Many datagrams in a system call. */
    MMSG("mmsg", "sendmmsg and recvmmsg"),
    /** The JDK's own channel, a datagram a call; IPv4 only. */
    CHANNEL("channel", "DatagramChannel");

    private final String option;
    private final String title;

    IoBackend(String option, String title) {
        this.option = option;
        this.title = title;
    }

    /** What the setting {@code urma.udma.io} calls it. */
    public String option() {
        return option;
    }

    /**
     * Reads the setting {@code urma.udma.io}: null and "auto" leave the choice to the port.
     *
     * @throws IllegalArgumentException naming what there is
     */
    public static @Nullable IoBackend parse(@Nullable String text) {
        if (text == null || text.isEmpty() || text.equalsIgnoreCase("auto")) {
            return null;
        }
        for (IoBackend backend : values()) {
            if (backend.option.equals(text.toLowerCase(Locale.ROOT))) {
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
