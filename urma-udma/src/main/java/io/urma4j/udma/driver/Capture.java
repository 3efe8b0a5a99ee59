package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.udma.capture.CaptureSettings;
import io.urma4j.udma.capture.PcapWriter;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The capture file of all devices of a library, if configured. Any thread. */
final class Capture {
    private final UrmaOptions options;
    private @Nullable PcapWriter writer; // these two: guarded by this
    private int devices;

    Capture(UrmaOptions options, int devices) {
        this.options = options;
        this.devices = devices;
    }

    /**
     * The file, which is created for the first device.
     *
     * @return null if no capture is configured
     * @throws UrmaException EINVAL for an invalid setting, FAIL if the file cannot be written
     */
    synchronized @Nullable PcapWriter writer() {
        if (writer == null) {
            writer = settings().map(Capture::open).orElse(null);
        }
        return writer;
    }

    private Optional<CaptureSettings> settings() {
        try {
            return CaptureSettings.of(options::setting);
        } catch (IllegalArgumentException e) {
            throw new UrmaException(UrmaStatus.EINVAL, "setting urma.udma.capture", String.valueOf(e.getMessage()), e);
        }
    }

    private static PcapWriter open(CaptureSettings settings) {
        try {
            return settings.open();
        } catch (IOException e) {
            throw new UrmaException(
                    UrmaStatus.FAIL, "setting urma.udma.capture", settings.file() + " cannot be written: " + e, e);
        }
    }

    /** A device was closed; the last one closes the file. */
    synchronized void deviceClosed() {
        devices--;
        if (devices == 0 && writer != null) {
            try {
                writer.close();
            } catch (IOException e) {
                throw new UrmaException(
                        UrmaStatus.FAIL, "setting urma.udma.capture", writer.file() + " is incomplete: " + e, e);
            }
        }
    }

    @Override
    public synchronized String toString() {
        return writer == null ? "no capture" : writer.toString();
    }
}
