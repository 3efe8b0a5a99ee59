package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** The user ids of this process. */
public final class UserIds {
    private static final MethodHandle GETUID = Linkage.bindCritical("getuid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle GETEUID = Linkage.bindCritical("geteuid", FunctionDescriptor.of(JAVA_INT));

    private UserIds() {}

    /** The user who started it. */
    public static int real() {
        try {
            return (int) GETUID.invokeExact();
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        }
    }

    /** The user whose rights it has: owner of the files it makes, and what its peers see. */
    public static int effective() {
        try {
            return (int) GETEUID.invokeExact();
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        }
    }
}
