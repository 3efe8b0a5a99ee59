package io.urma4j.socket;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;

/** Turns what a channel throws into what a socket of the JDK throws, and keeps a pending interrupt away from channels. */
final class SocketFailures {
    private SocketFailures() {}

    /**
     * Clears the interrupt of a platform thread, which has no effect on a socket of the JDK, but closes a channel. A virtual
     * thread keeps its interrupt.
     *
     * @return whether there was one, for {@link #restoreInterrupt}
     */
    static boolean suspendInterrupt() {
        return !Thread.currentThread().isVirtual() && Thread.interrupted();
    }

    /** Ends {@link #suspendInterrupt}. */
    static void restoreInterrupt(boolean wasInterrupted) {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a socket throws in place of {@code failure}; {@code isClosed} tells whether it is closed by now. */
    static IOException of(IOException failure, boolean isClosed) {
        if (failure instanceof SocketTimeoutException) {
            return failure;
        }
        if (failure instanceof ClosedByInterruptException) {
            // a virtual thread: java.net.Socket closes itself, and throws what stands here for others
            return Thread.currentThread().isVirtual()
                    ? new InterruptedIOException()
                    : because(closedByInterrupt(), failure);
        }
        if (isClosed) {
            return because(new SocketException("Socket closed"), failure);
        }
        return failure instanceof SocketException
                ? failure
                : because(new SocketException(failure.getMessage()), failure);
    }

    private static SocketException closedByInterrupt() {
        return new SocketException("Closed by interrupt");
    }

    /** The same for a write, also after its output was shut down, while the socket is open. */
    static IOException ofWrite(IOException failure, boolean isClosed) {
        boolean isShutDown = failure instanceof ClosedChannelException && !isClosed;
        return isShutDown ? because(new SocketException("Broken pipe"), failure) : of(failure, isClosed);
    }

    /** The same for a connect; {@code isClosed} tells whether another thread has closed it. */
    static IOException ofConnect(IOException failure, boolean isClosed) {
        if (failure instanceof ClosedByInterruptException) {
            return because(closedByInterrupt(), failure);
        }
        return isClosed ? of(failure, true) : failure;
    }

    static SocketException because(SocketException failure, Exception cause) {
        failure.initCause(cause);
        return failure;
    }
}
