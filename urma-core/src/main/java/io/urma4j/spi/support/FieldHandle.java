package io.urma4j.spi.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Finds the handle by which a class accesses a field of its own in a memory order. */
public final class FieldHandle {
    private FieldHandle() {}

    /** The handle of a field of the class that made the lookup; in a {@code static final} field of it, it is a constant. */
    public static VarHandle of(MethodHandles.Lookup lookup, String field, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
