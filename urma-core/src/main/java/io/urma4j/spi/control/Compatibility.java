package io.urma4j.spi.control;

import io.urma4j.spi.control.ControlMessage.Hello;
import java.util.Optional;

/**
 * Whether two contexts of different versions can work together: their major versions are equal, and each supports the
 * features that the other requires. docs/compatibility.md has the rule.
 */
public final class Compatibility {
    private Compatibility() {}

    /**
     * Why a home cannot serve a caller, as a clause about the home; empty if it can. Both ends use the same check, so that
     * the text is right whichever of them detects the mismatch.
     */
    public static Optional<String> objection(Hello home, Hello caller) {
        if (home.major() != caller.major()) {
            return Optional.of("speaks control protocol " + version(home) + " and its caller " + version(caller)
                    + ": they need the same major version");
        }
        long unknownToHome = caller.required() & ~home.features();
        if (unknownToHome != 0) {
            return Optional.of("does not know features 0x" + Long.toHexString(unknownToHome)
                    + " that its caller requires; it speaks control protocol " + version(home) + ", and its caller "
                    + version(caller));
        }
        long unknownToCaller = home.required() & ~caller.features();
        if (unknownToCaller != 0) {
            return Optional.of("requires features 0x" + Long.toHexString(unknownToCaller)
                    + " that its caller does not know; it speaks control protocol " + version(home)
                    + ", and its caller " + version(caller));
        }
        return Optional.empty();
    }

    private static String version(Hello hello) {
        return hello.major() + "." + hello.minor();
    }
}
