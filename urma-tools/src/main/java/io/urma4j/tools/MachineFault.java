package io.urma4j.tools;

import io.urma4j.UrmaException;
import io.urma4j.libc.LibcException;
import java.io.IOException;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.util.List;

/** The failures caused by the machine or its set-up, which {@code urma doctor} may explain. */
final class MachineFault {
    /**
     * The kernel's messages for exhausted resources and missing routes, for which the JDK has no separate exceptions.
     */
    private static final List<String> WORDS = List.of(
            "Too many open files",
            "Cannot allocate memory",
            "Resource temporarily unavailable",
            "Network is unreachable");

    private MachineFault() {}

    /** Whether the failure or one of its causes is one of these. */
    static boolean isIn(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (isOne(link)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOne(Throwable failure) {
        return switch (failure) {
            case LibcException _, BindException _, NoRouteToHostException _, OutOfMemoryError _ -> true;
            case UrmaException refused -> isOne(refused);
            case IOException io -> WORDS.stream().anyMatch(String.valueOf(io.getMessage())::contains);
            default -> false;
        };
    }

    private static boolean isOne(UrmaException refused) {
        return switch (refused.status()) {
            case ENOMEM, FAIL, ETIMEOUT -> true;
            case ENOPERM -> refused.object().startsWith("runtime directory"); // whose mode or owner is wrong
            case SUCCESS, EAGAIN, EEXIST, EINVAL, EINPROGRESS -> false;
        };
    }
}
