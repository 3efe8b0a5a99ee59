package io.urma4j;

/** The states of a JFR (SEMANTICS §6). */
public enum ReceiveState {
    /** Messages find no receive work request; receives may be posted. */
    RESET,
    /** Messages are delivered. */
    READY,
    /** Messages are refused: their senders get REM_OPERATION_ERR. */
    ERROR;

    /** URMA's number. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of URMA's numbers
    public int value() {
        return ordinal();
    }

    /** Whether {@code modify} may move to {@code next} (S6.2); the same state is no move. */
    public boolean mayBecome(ReceiveState next) {
        return switch (this) {
            case RESET -> next == READY;
            case READY -> next == RESET || next == ERROR;
            case ERROR -> next == RESET;
        };
    }
}
