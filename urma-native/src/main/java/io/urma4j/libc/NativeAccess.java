package io.urma4j.libc;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Whether the JVM lets this package call C functions. */
public final class NativeAccess {
    private NativeAccess() {}

    /**
     * Why no call is possible here: another platform than {@link Platform} knows, or a JVM that denies native access.
     * Providers ask before they touch anything else of this package, since a binding that is denied fails as an error of
     * class initialization.
     */
    public static Optional<String> refusal() {
        if (Platform.current().isEmpty()) {
            return Optional.of("needs 64-bit Linux on x86-64 or aarch64; this is " + System.getProperty("os.name")
                    + " on " + System.getProperty("os.arch"));
        }
        return isDenied() ? Optional.of(denial(NativeAccess.class.getModule())) : Optional.empty();
    }

    /** Tries, since {@link Module#isNativeAccessEnabled} is false, too, where the JVM would only warn. */
    @SuppressWarnings("restricted") // the cheapest call that needs the permission
    private static boolean isDenied() {
        try {
            MemorySegment.NULL.reinterpret(0);
            return false;
        } catch (IllegalCallerException e) {
            return true;
        }
    }

    static String denial(Module module) {
        String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
        return "the JVM denies native access; start it with --enable-native-access=" + name;
    }
}
