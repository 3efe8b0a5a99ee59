package io.urma4j.internal;

/** Which children of a context are closed before which: users before what they use. */
public final class ClosingRank {
    public static final int COMFORT = 0;
    public static final int JETTY = 1;
    public static final int JFS = 2;
    public static final int JETTY_GROUP = 2;
    public static final int TARGET = 3;
    public static final int WINDOW = 3;
    public static final int REMOTE_SEGMENT = 4;
    public static final int JFR = 5;
    public static final int JFC = 6;
    public static final int JFCE = 7;
    public static final int LOCAL_SEGMENT = 8;
    public static final int TOKEN_ID = 9;
    public static final int MEMORY = 10;

    private ClosingRank() {}
}
