package io.urma4j.udma.command;

/** Numbers of the states of queues, as URMA has them (SEMANTICS §6). */
public final class CardState {
    public static final int RESET = 0;
    public static final int READY = 1;
    public static final int SUSPENDED = 2;
    public static final int ERROR = 3;

    private CardState() {}
}
