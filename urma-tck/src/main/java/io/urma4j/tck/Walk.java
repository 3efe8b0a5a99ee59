package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.LocalSegment;

/** What is done to queues at random, and what must hold whatever was drawn. */
interface Walk {
    /** Does it all; fails with an {@link AssertionError}. */
    void walk();

    /** What was done, for a failure's message. */
    String story();

    /** Memory of which word i holds i: what a walk's WRITEs put into the home's memory. */
    static LocalSegment words(Pair pair) {
        LocalSegment words = pair.initiator().buffer(WalkBook.PLACES * Long.BYTES);
        for (int i = 0; i < WalkBook.PLACES; i++) {
            words.memory().setAtIndex(JAVA_LONG, i, i);
        }
        return words;
    }
}
