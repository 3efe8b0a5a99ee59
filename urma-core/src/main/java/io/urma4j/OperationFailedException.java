package io.urma4j;

/**
 * An operation of the high-level API started and did not succeed. {@link #completionStatus()} is the queue's status; the
 * message names the operation and its range. The object can be used again.
 */
public sealed class OperationFailedException extends UrmaException permits HomeGoneException {
    private static final long serialVersionUID = 1L;

    private final CompletionStatus completionStatus;

    OperationFailedException(Object object, String operation, CompletionStatus completionStatus) {
        super(
                statusOf(completionStatus),
                object,
                operation + " ended with " + completionStatus + ": " + meaningOf(completionStatus));
        this.completionStatus = completionStatus;
    }

    /** For subclasses with their own message. */
    OperationFailedException(UrmaStatus status, Object object, String message, CompletionStatus completionStatus) {
        super(status, object, message);
        this.completionStatus = completionStatus;
    }

    /** The status of the work request; never SUCCESS. */
    public CompletionStatus completionStatus() {
        return completionStatus;
    }

    private static UrmaStatus statusOf(CompletionStatus status) {
        return switch (status) {
            case REM_ACCESS_ABORT_ERR -> UrmaStatus.ENOPERM;
            case ACK_TIMEOUT_ERR, RNR_RETRY_CNT_EXC_ERR -> UrmaStatus.ETIMEOUT;
            case LOC_LEN_ERR, LOC_ACCESS_ERR, UNSUPPORTED_OPCODE_ERR, REM_UNSUPPORTED_REQ_ERR -> UrmaStatus.EINVAL;
            case SUCCESS,
                    LOC_OPERATION_ERR,
                    REM_RESP_LEN_ERR,
                    REM_OPERATION_ERR,
                    WR_FLUSH_ERR,
                    WR_SUSPEND_DONE,
                    WR_FLUSH_ERR_DONE,
                    WR_UNHANDLED,
                    LOC_DATA_POISON,
                    REM_DATA_POISON -> UrmaStatus.FAIL;
        };
    }

    private static String meaningOf(CompletionStatus status) {
        return switch (status) {
            case UNSUPPORTED_OPCODE_ERR -> "this device cannot do it";
            case LOC_LEN_ERR -> "it is longer than the local buffer";
            case LOC_OPERATION_ERR -> "the local queue is inconsistent";
            case LOC_ACCESS_ERR -> "the local memory is closed or not usable";
            case REM_RESP_LEN_ERR -> "the answer has the wrong length";
            case REM_UNSUPPORTED_REQ_ERR -> "the peer cannot do it";
            case REM_OPERATION_ERR -> "the peer failed while doing it; a message may be longer than its buffers";
            case REM_ACCESS_ABORT_ERR -> "the home refused it, revoked the segment, or is gone";
            case ACK_TIMEOUT_ERR -> "the peer did not answer, or is gone; it may have been done";
            case RNR_RETRY_CNT_EXC_ERR -> "the peer posted no receive buffer in time";
            case WR_FLUSH_ERR -> "the queue failed while it was in progress; it may have been done";
            case WR_UNHANDLED -> "the queue failed before it started; it was not done";
            case LOC_DATA_POISON, REM_DATA_POISON -> "the memory is damaged";
            case SUCCESS, WR_SUSPEND_DONE, WR_FLUSH_ERR_DONE -> "this is not a failure";
        };
    }
}
