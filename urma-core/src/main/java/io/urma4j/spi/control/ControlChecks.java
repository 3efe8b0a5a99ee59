package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Endpoint;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks of registrations and imports. Each throws {@code UrmaException}. */
public final class ControlChecks {
    private ControlChecks() {}

    /** Of a segment to be registered. */
    public static void policy(TokenPolicy policy) {
        if (policy != TokenPolicy.NONE && policy != TokenPolicy.PLAIN_TEXT) {
            throw invalid("token policy", policy + " is not supported; NONE and PLAIN_TEXT are");
        }
    }

    /** Memory that no context has allocated, and the access that peers are to have. */
    public static MemorySegment foreign(@Nullable MemorySegment memory, Access access) {
        if (memory == null) {
            throw invalid("memory", "is null");
        }
        if (!memory.isNative()) {
            throw invalid("memory", "lies on the Java heap, where the garbage collector moves it; allocate it instead");
        }
        if (memory.isReadOnly() && access.covers(Access.READ_WRITE)) {
            throw invalid("memory", "is read-only, and cannot be registered as " + access);
        }
        return memory;
    }

    /** Of an import (S7.6). */
    public static void token(Object what, TokenPolicy policy, @Nullable Token token) {
        if (policy != TokenPolicy.NONE && token == null) {
            throw invalid(what, "needs a token: its policy is " + policy);
        }
    }

    /** The first endpoint of that kind; an unknown critical endpoint makes the descriptor invalid (S1.4). */
    public static Optional<Endpoint> endpoint(Object what, List<Endpoint> endpoints, String kind) {
        for (Endpoint endpoint : endpoints) {
            if (endpoint.critical() && !endpoint.kind().equals(kind)) {
                throw invalid(what, "has a critical endpoint of the unknown kind " + endpoint.kind());
            }
        }
        return endpoints.stream()
                .filter(endpoint -> endpoint.kind().equals(kind))
                .findFirst();
    }

    /**
     * Of a home's answer.
     *
     * @return true if the home opens nothing but windows: it then grants LOCAL_ONLY, which an earlier version refuses
     */
    public static boolean windowsOnly(Object home, Access granted, Access wanted) {
        boolean opensNothing = granted == Access.LOCAL_ONLY;
        if (!opensNothing && !granted.covers(wanted)) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM, home, "granted " + granted + " although " + wanted + " was requested");
        }
        return opensNothing;
    }

    private static UrmaException invalid(Object what, String why) {
        return new UrmaException(UrmaStatus.EINVAL, what, why);
    }
}
