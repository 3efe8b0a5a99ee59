package io.urma4j;

/** How a work request ended: URMA's {@code urma_cr_status_t}, by number (SEMANTICS §2). */
public enum CompletionStatus {
    /** Everything the opcode promises has happened (S8.1). */
    SUCCESS,
    /** This device cannot do the opcode. */
    UNSUPPORTED_OPCODE_ERR,
    /** The message is longer than the receive buffers. */
    LOC_LEN_ERR,
    /** The local queue is inconsistent. */
    LOC_OPERATION_ERR,
    /** The local segment is closed or not usable. */
    LOC_ACCESS_ERR,
    /** The answer has the wrong length. */
    REM_RESP_LEN_ERR,
    /** The target cannot do it. */
    REM_UNSUPPORTED_REQ_ERR,
    /** The target failed while doing it, for example because the message did not fit. */
    REM_OPERATION_ERR,
    /** Token, permission or range refused by the target, or the segment was revoked. */
    REM_ACCESS_ABORT_ERR,
    /** The peer did not answer and the retries are used up, or it is proven dead. */
    ACK_TIMEOUT_ERR,
    /** The target had no receive work request for the allowed time. */
    RNR_RETRY_CNT_EXC_ERR,
    /** Was started when the queue went to ERROR: may have been executed. */
    WR_FLUSH_ERR,
    /** Marker: the suspension has drained the queue. Belongs to no work request. */
    WR_SUSPEND_DONE,
    /** Marker: the error has drained the queue. Belongs to no work request. */
    WR_FLUSH_ERR_DONE,
    /** Returned by {@code flush}: was never started, and changed no byte anywhere. */
    WR_UNHANDLED,
    LOC_DATA_POISON,
    REM_DATA_POISON;

    private static final CompletionStatus[] BY_VALUE = values();

    /** The number that URMA gives this status. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of URMA's numbers
    public int value() {
        return ordinal();
    }

    /** True for the two markers, which belong to no work request and carry no user context (S6.13). */
    public boolean isMarker() {
        return this == WR_SUSPEND_DONE || this == WR_FLUSH_ERR_DONE;
    }

    /** The status with the given number. */
    public static CompletionStatus of(int value) {
        return BY_VALUE[value];
    }
}
