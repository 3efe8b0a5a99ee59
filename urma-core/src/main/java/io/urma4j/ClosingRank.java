package io.urma4j;

/** Which children of a context are closed before which: users before what they use. */
final class ClosingRank {
    static final int COMFORT = 0;
    static final int JETTY = 1;
    static final int JFS = 2;
    static final int JETTY_GROUP = 2;
    static final int TARGET = 3;
    static final int WINDOW = 3;
    static final int REMOTE_SEGMENT = 4;
    static final int JFR = 5;
    static final int JFC = 6;
    static final int JFCE = 7;
    static final int LOCAL_SEGMENT = 8;
    static final int TOKEN_ID = 9;
    static final int MEMORY = 10;

    private ClosingRank() {}
}
