package io.urma4j;

/** The states of a JFS or Jetty (SEMANTICS §6). */
public enum QueueState {
    /** Not connected: sends are refused, receives may be posted. */
    RESET,
    /** Work requests are executed. */
    READY,
    /** Work requests are accepted and held. */
    SUSPENDED,
    /** Work requests are accepted and held for {@code flush}. */
    ERROR;

    /** URMA's number. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of URMA's numbers
    public int value() {
        return ordinal();
    }

    /** Whether {@code modify} may move to {@code next} (S6.2); the same state is no move. */
    public boolean mayBecome(QueueState next) {
        return switch (this) {
            case RESET -> next == READY;
            case READY -> next == SUSPENDED || next == ERROR;
            case SUSPENDED -> next == READY || next == ERROR;
            case ERROR -> next == RESET;
        };
    }
}
