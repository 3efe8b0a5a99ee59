package io.urma4j.internal.message;

import io.urma4j.CompletionStatus;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A message, until its result was returned. Under the lock of its {@link MessageSender}. */
public final class Sending {
    final long lengthBytes;
    final OptionalLong immediate;

    @Nullable
    CompletionStatus result;

    boolean wasWoken;

    @Nullable
    Thread sleeper; // null while its thread is awake

    Sending(long lengthBytes, OptionalLong immediate) {
        this.lengthBytes = lengthBytes;
        this.immediate = immediate;
    }

    @Override
    public String toString() {
        return "message of " + lengthBytes + " bytes, " + (result == null ? "in flight" : result.toString());
    }
}
