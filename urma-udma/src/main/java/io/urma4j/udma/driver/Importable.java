package io.urma4j.udma.driver;

import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import org.jspecify.annotations.Nullable;

/**
 * A queue or group of this context, as peers may import it.
 *
 * @param orderType the effective one
 * @param queueKey of UM: carried by datagrams to it, and given to importers
 * @param binding of an RC Jetty
 */
record Importable(
        JettyDescriptor.Kind kind,
        TransportMode mode,
        OrderType orderType,
        TokenPolicy policy,
        Token token,
        int queueKey,
        @Nullable RcBinding binding) {
    /** Whether a token permits the import. */
    boolean opens(JettyDescriptor.Kind wanted, @Nullable Token offered) {
        return wanted == kind && (policy == TokenPolicy.NONE || (offered != null && token.equals(offered)));
    }
}
