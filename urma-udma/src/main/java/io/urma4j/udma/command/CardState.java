package io.urma4j.udma.command;

/** The numbers of queue states in URMA (SEMANTICS §6). */
public final class CardState {
    public static final int RESET = 0;
    public static final int READY = 1;
    public static final int SUSPENDED = 2;
    public static final int ERROR = 3;

    private CardState() {}
}
