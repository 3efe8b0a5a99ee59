package io.urma4j.socket;

import java.lang.reflect.InvocationTargetException;
import java.nio.channels.spi.SelectorProvider;

/** Finds the provider of the JDK. */
final class JdkProvider {
    static final String PROPERTY = "java.nio.channels.spi.SelectorProvider";
    static final String PACKAGE = "sun.nio.ch";
    private static final String CLASS = PACKAGE + ".DefaultSelectorProvider";

    private JdkProvider() {}

    /**
     * If the property names {@code ours}, {@link SelectorProvider#provider} is just being asked, and is no help. So it is, and
     * returns null, while it makes a provider of another library that makes ours.
     */
    static SelectorProvider find(Class<?> ours) {
        boolean isOurs = ours.getName().equals(System.getProperty(PROPERTY));
        SelectorProvider found = isOurs ? null : SelectorProvider.provider();
        return found == null ? ofItsPackage(ours) : found;
    }

    private static SelectorProvider ofItsPackage(Class<?> ours) {
        try {
            return (SelectorProvider) Class.forName(CLASS).getMethod("get").invoke(null);
        } catch (IllegalAccessException e) {
            Module module = ours.getModule();
            throw new IllegalStateException(
                    ours.getName() + " needs the JDK's provider, which that of the process hides: start java with"
                            + " --add-exports java.base/" + PACKAGE + "="
                            + (module.isNamed() ? module.getName() : "ALL-UNNAMED"),
                    e);
        } catch (ClassNotFoundException | NoSuchMethodException | InvocationTargetException e) {
            throw new IllegalStateException("This JDK has no " + CLASS + ": unset -D" + PROPERTY, e);
        }
    }
}
