package io.urma4j.tools.doctor;

import io.urma4j.Access;
import io.urma4j.DeviceAttributes;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteMemory;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The devices: which were chosen, why, and whether they work. */
final class DeviceExamination implements Examination {
    private static final long PATTERN = 0x0123_4567_89AB_CDEFL;

    @Override
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        try (Urma urma = Urma.open()) {
            for (UrmaDevice device : urma.devices()) {
                findings.add(tried(device));
            }
            urma.absentProviders()
                    .forEach((provider, reason) -> findings.add(Finding.fail(
                            "provider " + provider,
                            "does not work here: " + reason.getMessage(),
                            "mend what failed above, or the reason itself")));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.fail(
                    "devices", "no provider was found", "put urma.jar, or the jar of a provider, on the class path"));
        }
        return findings;
    }

    /** Shares 8 bytes with itself: a complete operation, except for the second process. */
    private static Finding tried(UrmaDevice device) {
        String name = "device " + device.name();
        String path = described(device.attributes());
        try (UrmaContext context = device.openContext();
                LocalSegment home = context.register(context.allocate(Long.BYTES), Access.READ_WRITE);
                RemoteMemory remote = context.importMemory(home.share())) {
            remote.writeLong(0, PATTERN);
            return home.memory().get(ValueLayout.JAVA_LONG, 0) == PATTERN
                    ? Finding.ok(name, "works. " + path)
                    : Finding.fail(name, "a write did not arrive", "this should not be; please report it");
        } catch (UrmaException e) {
            return Finding.fail(name, "is there, but a write failed: " + e.getMessage(), "mend what failed above");
        }
    }

    /** The path of its bytes; of a network also what an observer of its packets can do (S13.4). */
    static String described(DeviceAttributes device) {
        return device.provider().equals("udma")
                ? device.ioPath() + "; tokens are sent in clear text, and a host that sees the packets can forge others"
                : device.ioPath();
    }
}
