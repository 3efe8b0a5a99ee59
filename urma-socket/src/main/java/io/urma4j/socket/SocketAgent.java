package io.urma4j.socket;

import io.urma4j.socket.peering.SocketSettings;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link UrmaSelectorProvider} the provider of a process: {@code java -javaagent:urma-socket.jar …}. It brings the class
 * path, the export of the JDK's own provider and the properties. What the command line sets itself stays.
 *
 * <p>It opens nothing, and logs nothing, since a program may set up its logging later.
 */
public final class SocketAgent {
    private static final String MODE = "urma.socket.mode";
    private static final int WRONG_USE = 1; // as of an option that the JVM does not know

    private SocketAgent() {}

    /** Called by the JVM before {@code main}; {@code arguments} are not used. */
    public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
        String other = System.getProperty(JdkProvider.PROPERTY);
        String ours = UrmaSelectorProvider.class.getName();
        if (other != null && !other.equals(ours)) {
            tell("sockets stay as they are, since -D" + JdkProvider.PROPERTY + " names " + other);
            return;
        }
        setDefault(MODE, "auto");
        try {
            var _ = SocketSettings.ofProcess();
            exportJdkProvider(instrumentation);
            setDefault(JdkProvider.PROPERTY, ours);
            UrmaSockets.installIfWanted();
        } catch (IllegalArgumentException | IllegalStateException e) {
            tell(e.getMessage());
            System.exit(WRONG_USE);
        }
        // native transports of Netty go past every provider
        setDefault("io.netty.transport.noNative", "true");
        setDefault("io.grpc.netty.shaded.io.netty.transport.noNative", "true");
    }

    private static void exportJdkProvider(Instrumentation instrumentation) {
        Map<String, Set<Module>> exports = Map.of(JdkProvider.PACKAGE, Set.of(SocketAgent.class.getModule()));
        instrumentation.redefineModule(Object.class.getModule(), Set.of(), exports, Map.of(), Set.of(), Map.of());
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private static void tell(@Nullable String message) {
        System.err.println("urma-socket: " + message);
    }
}
