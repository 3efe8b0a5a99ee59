package io.urma4j.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that keeps its first failed write: {@link java.io.PrintStream} and {@link java.io.PrintWriter} swallow it,
 * and the command would end as if all had been written. Any thread.
 */
final class StandardOutput extends OutputStream {
    /** What a shell gives for a program that SIGPIPE ended. */
    static final int CLOSED_PIPE = 141;

    private final OutputStream out;
    private volatile @Nullable IOException failure;

    StandardOutput(OutputStream out) {
        this.out = out;
    }

    /** That of this process. */
    static StandardOutput ofThisProcess() {
        return new StandardOutput(new FileOutputStream(FileDescriptor.out));
    }

    /** Why a write failed; null while all were done. */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** Whether a failed write says that the reader has gone, as {@code head} does: it has all that it wanted. */
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
            }
            throw e;
        }
    }
}
