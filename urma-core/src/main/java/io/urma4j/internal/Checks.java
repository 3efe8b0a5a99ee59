package io.urma4j.internal;

import io.urma4j.Access;
import io.urma4j.ContextObject;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Argument checks, so that all messages are alike: they name argument, value and limit. */
public final class Checks {
    private Checks() {}

    /** {@code value} must lie in {@code min…max}. */
    public static int inRange(Object object, String argument, int value, int min, int max) {
        if (value < min || value > max) {
            throw invalid(object, argument + " is " + value + ", must lie in " + min + "…" + max);
        }
        return value;
    }

    /** {@code value} must lie in {@code min…max}. */
    public static long inRange(Object object, String argument, long value, long min, long max) {
        if (value < min || value > max) {
            throw invalid(object, argument + " is " + value + ", must lie in " + min + "…" + max);
        }
        return value;
    }

    public static <T> T notNull(Object object, String argument, @Nullable T value) {
        if (value == null) {
            throw invalid(object, argument + " is null");
        }
        return value;
    }

    /** {@code value} must be longer than nothing. */
    public static Duration positive(Object object, String argument, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw invalid(object, argument + " is " + value + ", must be longer than 0");
        }
        return value;
    }

    /** The range must lie in {@code sizeBytes} bytes; neither its end nor the sum may overflow. */
    public static void range(Object segment, long offset, long lengthBytes, long sizeBytes) {
        // subtract, because offset + lengthBytes may overflow
        if ((offset | lengthBytes) < 0 || offset > sizeBytes - lengthBytes) {
            throw outOfRange(segment, offset, lengthBytes, sizeBytes);
        }
    }

    public static UrmaException outOfRange(Object segment, long offset, long lengthBytes, long sizeBytes) {
        return invalid(
                segment, "offset " + offset + " + length " + lengthBytes + " lies outside its " + sizeBytes + " bytes");
    }

    /** A window has at least 1 byte and remote access, and begins at a multiple of 8 if it is for atomics. */
    public static void window(Object segment, long offset, long lengthBytes, Access granted) {
        if (granted == Access.LOCAL_ONLY || lengthBytes == 0) {
            throw invalid(
                    segment,
                    "a window of " + lengthBytes + " bytes with access " + granted
                            + " is invalid: it needs at least 1 byte and remote access");
        }
        if (granted == Access.READ_WRITE_ATOMIC && (offset & 7) != 0) {
            throw invalid(segment, "offset " + offset + " of a window for atomics is not a multiple of 8");
        }
    }

    /** The memory must be alive, and the calling thread may touch it. */
    public static void usableHere(Object object, String argument, MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw invalid(object, "the arena of " + argument + " is closed");
        }
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw invalid(object, argument + " belongs to another thread; use a shared arena");
        }
    }

    /** An atomic has 4 or 8 bytes. */
    public static void atomicSize(Object object, int sizeBytes) {
        if (sizeBytes != 4 && sizeBytes != 8) {
            throw invalid(object, "size of an atomic is " + sizeBytes + ", must be 4 or 8 bytes");
        }
    }

    /** An atomic is naturally aligned. */
    public static void atomicRange(Object object, long offset, int sizeBytes) {
        atomicSize(object, sizeBytes);
        if ((offset & (sizeBytes - 1)) != 0) {
            throw invalid(object, "offset " + offset + " of an atomic is not a multiple of its size " + sizeBytes);
        }
    }

    /** What {@code object} is given must belong to its context. */
    public static void belongs(Object object, ContextObject given, UrmaContext context) {
        if (given.context() != context) {
            throw invalid(object, given + " belongs to " + given.context());
        }
    }

    /** EAGAIN if an open object is named by work requests in progress. */
    public static void nothingUnfinished(Object object, Lifetime life, long unfinished) {
        if (unfinished > 0 && !life.isClosed()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN, object, "cannot be closed, " + unfinished + " unfinished work requests name it");
        }
    }

    public static IndexOutOfBoundsException noSuchRecord(int index, int size) {
        return new IndexOutOfBoundsException("record " + index + " of a batch that holds " + size);
    }

    public static UrmaException invalid(Object object, String message) {
        return new UrmaException(UrmaStatus.EINVAL, object, message);
    }

    public static UrmaException noPermission(Object object, String message) {
        return new UrmaException(UrmaStatus.ENOPERM, object, message);
    }

    public static UrmaException closed(Object object) {
        return invalid(object, "is closed");
    }
}
