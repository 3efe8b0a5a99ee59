package io.urma4j.libc;

import java.nio.ByteOrder;
import java.util.Optional;

/** The systems whose struct layouts and call numbers this package knows. */
public enum Platform {
    LINUX_X86_64,
    LINUX_AARCH64;

    private static final Optional<Platform> CURRENT =
            of(System.getProperty("os.name", "?"), System.getProperty("os.arch", "?"), ByteOrder.nativeOrder());

    /** The platform of this JVM; empty where calls of this package refuse. */
    public static Optional<Platform> current() {
        return CURRENT;
    }

    static boolean isCurrent(Platform platform) {
        return CURRENT.isPresent() && CURRENT.get() == platform;
    }

    static String refusal() {
        return "shared memory needs Linux on x86_64 or aarch64 (little endian); this is "
                + System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    }

    static Optional<Platform> of(String os, String architecture, ByteOrder order) {
        if (!os.equals("Linux") || order != ByteOrder.LITTLE_ENDIAN) {
            return Optional.empty();
        }
        return switch (architecture) {
            case "amd64", "x86_64" -> Optional.of(LINUX_X86_64);
            case "aarch64" -> Optional.of(LINUX_AARCH64);
            default -> Optional.empty();
        };
    }
}
