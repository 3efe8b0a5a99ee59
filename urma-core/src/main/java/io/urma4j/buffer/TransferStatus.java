package io.urma4j.buffer;

/** How a transfer has ended. */
public enum TransferStatus {
    /** All bytes are where they belong. */
    SUCCESS,
    /** A request ended with an error, which {@link TransferResult#completionStatus} has. Any part may have been moved. */
    FAILED,
    /** The home refused the import or the window, or a request was refused at post. Any other part may have been moved. */
    REFUSED,
    /** The timeout expired. Any part may have been moved, and may still be until the batch is idle. */
    TIMED_OUT,
    /** {@link Transfers#close} came first. Any part may have been moved. */
    CLOSED
}
