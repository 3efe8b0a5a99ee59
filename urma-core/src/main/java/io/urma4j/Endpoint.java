package io.urma4j;

import io.urma4j.internal.Checks;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * One way to reach a home: part of a descriptor (S1.4).
 *
 * @param kind which provider understands it, for example {@code shm}; 1…32 of {@code a-z 0-9 -}
 * @param address where the home listens, in that provider's own text; at most 1024 bytes of UTF-8
 * @param key opaque to everybody else
 * @param vaBase the address that byte 0 of the segment has on this endpoint; 0 for queues
 * @param critical an importer that does not understand the kind must refuse the whole descriptor
 */
public record Endpoint(String kind, String address, long key, long vaBase, boolean critical) {
    /** Longest address, in UTF-8. */
    public static final int MAX_ADDRESS_BYTES = 1024;

    private static final Pattern KIND = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    public Endpoint {
        if (!KIND.matcher(kind).matches()) {
            throw Checks.invalid("endpoint", "kind must be 1…32 lower-case letters, digits and '-'");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(address)) {
            throw Checks.invalid("endpoint", "address is no valid text: it holds half a surrogate pair");
        }
        int bytes = address.getBytes(StandardCharsets.UTF_8).length;
        Checks.inRange("endpoint", "length of the address", bytes, 0, MAX_ADDRESS_BYTES);
    }
}
