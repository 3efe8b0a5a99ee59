package io.urma4j.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that keeps its first failed write, and interrupts the command then. {@link java.io.PrintStream} and
 * {@link java.io.PrintWriter} swallow the exception, so that a watching command would never end. Safe for any thread.
 */
final class StandardOutput extends OutputStream {
    /** The exit code of a shell for a program that SIGPIPE ended. */
    static final int CLOSED_PIPE = 141;

    private final OutputStream out;
    private final Thread command = Thread.currentThread();
    private volatile @Nullable IOException failure;

    /** For the command that the calling thread runs. */
    StandardOutput(OutputStream out) {
        this.out = out;
    }

    /** The standard output of this process. */
    static StandardOutput ofThisProcess() {
        return new StandardOutput(new FileOutputStream(FileDescriptor.out));
    }

    /** The first failure; null while all writes succeed. */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** Whether a write failed because the reader has exited, as {@code head} does when it has enough. */
    static boolean isClosedPipe(Throwable failure) {
        return failure instanceof IOException && "Broken pipe".equals(failure.getMessage());
    }

    @Override
    public void write(int letter) throws IOException {
        write(new byte[] {(byte) letter}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            if (failure == null) {
                failure = e;
                command.interrupt(); // all that it would still print is lost
            }
            throw e;
        }
    }
}
