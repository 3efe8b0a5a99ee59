package io.urma4j.tools.interop;

import io.urma4j.Eid;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaOptions;
import java.time.Duration;

/**
 * Our end of one-sided operations with Linux. The other end is {@code etc/interop/guest/verbs_onesided.c}, which
 * describes the protocol between the two. Either end initiates: WRITE, READ, atomics, messages with and without
 * immediates, and requests that must be refused. The other end is its home, and checks its memory. Both queue and
 * segment of the peer are described by hand; all else uses the public API.
 *
 * <pre>
 * OneSided ADDRESS MTU PORT initiator|home LOSS
 * </pre>
 */
public final class OneSided {
    /** How long anything may take. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private OneSided() {}

    /** Ends with an exception when anything was not as it should be. */
    public static void main(String[] arguments) throws Exception {
        String address = arguments[0];
        int mtuBytes = Integer.parseInt(arguments[1]);
        int port = Integer.parseInt(arguments[2]);
        boolean lossy = !arguments[4].equals("0%");
        try (Urma urma = Urma.open(UrmaOptions.DEFAULT.withSetting("urma.udma.addresses", address));
                UrmaContext context = device(urma).openContext();
                Lines lines = Lines.accept(port, PATIENCE);
                Home home = new Home(context, Eid.parse(address), mtuBytes, lines)) {
            home.newQueue();
            switch (arguments[3]) {
                case "initiator" -> new Initiator(home, lines, mtuBytes, lossy).play();
                case "home" -> home.serve();
                default -> throw new IllegalArgumentException(arguments[3] + " is neither initiator nor home");
            }
        }
    }

    private static UrmaDevice device(Urma urma) {
        return urma.devices().stream()
                .filter(device -> device.attributes().provider().equals("udma"))
                .findFirst()
                .orElseThrow();
    }
}
