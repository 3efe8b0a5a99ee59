package io.urma4j.tools.perftest;

import io.urma4j.tools.CommandFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SortedMap;

/** The settings that both sides agree on. */
final class Agreement {
    private Agreement() {}

    /**
     * Merges the options of both sides; an option given on both must have the same value.
     *
     * @throws CommandFailure naming each option that differs with both values
     */
    static Settings of(Settings server, Settings client) {
        List<String> differences = new ArrayList<>();
        SortedMap<String, String> theirs = client.given();
        server.given().forEach((option, value) -> {
            String other = theirs.get(option);
            if (other != null && !other.equals(value)) {
                differences.add(option + " is " + value + " at the server and " + other + " at the client");
            }
        });
        if (!differences.isEmpty()) {
            throw new CommandFailure("the settings differ: " + String.join("; ", differences));
        }
        SequencedMap<String, String> both = new LinkedHashMap<>(server.given());
        both.putAll(theirs);
        return new Settings(both);
    }
}
