package io.urma4j.tck;

import io.urma4j.RemoteSegment;
import io.urma4j.TransportMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lives of a queue, drawn at random: whatever is done to it, its book is balanced in the end. */
@EndsWithin(seconds = 300)
public abstract class LivesContract extends Contract {
    private static final int WALKS = Patience.amount(Boolean.getBoolean("urma.full") ? 400 : 12, 4);
    private static final int STEPS = 120;

    protected LivesContract(String device) {
        super(device);
    }

    /** S6.8, S6.13, S9.3, S10.1: one result each, in order and in its life; no slot is lost; bytes are where they say. */
    @Rule({"S6.2", "S6.4", "S6.7", "S6.8", "S6.10", "S6.11", "S6.13", "S8.5", "S9.3", "S10.1"})
    @ParameterizedTest
    @EnumSource(
            value = TransportMode.class,
            names = {"RM", "RC"})
    void bookIsBalancedWhateverIsDoneToAQueue(TransportMode mode) {
        RemoteSegment revoked = pair.importedAndRevoked(4096);
        for (int i = 0; i < WALKS; i++) {
            var walk = new QueueWalk(pair, mode, revoked, Seed.randomFor(mode + " walk " + i));
            try {
                walk.walk(STEPS);
            } catch (AssertionError e) {
                throw new AssertionError("walk " + i + ", " + walk.story() + " " + e.getMessage(), e);
            }
        }
    }
}
