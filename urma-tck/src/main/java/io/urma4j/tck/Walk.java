package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.LocalSegment;

/** Random operations on queues, with invariants that must hold in all cases. */
interface Walk {
    /** Runs the walk; fails with an {@link AssertionError}. */
    void walk();

    /** The steps so far, for a failure's message. */
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
