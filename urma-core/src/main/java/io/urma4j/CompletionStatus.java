package io.urma4j;

/** The result of a work request: URMA's {@code urma_cr_status_t}, by number (SEMANTICS §2). */
public enum CompletionStatus {
    /** The work request has completed with all effects of its opcode (S8.1). */
    SUCCESS,
    /** This device does not support the opcode. */
    UNSUPPORTED_OPCODE_ERR,
    /** The message is longer than the receive buffers. */
    LOC_LEN_ERR,
    /** The local queue is inconsistent. */
    LOC_OPERATION_ERR,
    /** The local segment is closed or not usable. */
    LOC_ACCESS_ERR,
    /** The response has the wrong length. */
    REM_RESP_LEN_ERR,
    /** The target does not support it. */
    REM_UNSUPPORTED_REQ_ERR,
    /** The target failed to execute it, for example because the message did not fit. */
    REM_OPERATION_ERR,
    /** The target refused token, permission or range, or the segment was revoked. */
    REM_ACCESS_ABORT_ERR,
    /** The peer did not answer and the retries are used up, or the peer is proven dead. */
    ACK_TIMEOUT_ERR,
    /** The target had no receive work request for the allowed time. */
    RNR_RETRY_CNT_EXC_ERR,
    /** The request was in progress when the queue went to ERROR: it may have been executed. */
    WR_FLUSH_ERR,
    /** Marker: the suspension has drained the queue. Belongs to no work request. */
    WR_SUSPEND_DONE,
    /** Marker: the error has drained the queue. Belongs to no work request. */
    WR_FLUSH_ERR_DONE,
    /** Returned by {@code flush}: the request never started, and changed no byte anywhere. */
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
