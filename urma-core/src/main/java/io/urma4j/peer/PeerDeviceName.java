package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.internal.Checks;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A device as command lines name it: its client and its ordinal, such as {@code cuda:0}.
 *
 * @param client by name
 * @param ordinal of the device, in that client; 0…1023
 */
public record PeerDeviceName(String client, int ordinal) {
    private static final int MAX_ORDINAL = 1023;
    private static final Pattern TEXT = Pattern.compile("([\\w.-]{1,63})(?::(\\d{1,4}))?");
    private static final String SIMULATED = "npu";
    private static final String SIMULATION = "urma.npu";

    public PeerDeviceName {
        Checks.inRange("peer device name", "ordinal", ordinal, 0, MAX_ORDINAL);
    }

    /**
     * Parses {@code client:ordinal}, or {@code client} for its device 0.
     *
     * @throws UrmaException EINVAL if the text is neither
     */
    public static PeerDeviceName parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw Checks.invalid(
                    "peer device name", "'" + text + "' must be a client and the number of a device, such as npu:0");
        }
        String ordinal = matcher.group(2);
        return new PeerDeviceName(matcher.group(1), ordinal == null ? 0 : Integer.parseInt(ordinal));
    }

    /**
     * Options of a library that has this device, if it can be simulated: for {@code npu} they ask for as many NPUs as the ordinal
     * needs, unless they ask for NPUs already. For other clients they are {@code options}.
     *
     * @param memoryBytes of each simulated NPU, which can be pinned as a whole; only used pages take memory of the host
     */
    public UrmaOptions simulatedIn(UrmaOptions options, long memoryBytes) {
        if (!client.equals(SIMULATED) || options.setting(SIMULATION).isPresent()) {
            return options;
        }
        return options.withSetting(SIMULATION, (ordinal + 1) + ",memory=" + memoryBytes + ",window=" + memoryBytes);
    }

    @Override
    public String toString() {
        return client + ":" + ordinal;
    }
}
