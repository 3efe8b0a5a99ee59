package io.urma4j.tck.mutants;

import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs one named test, and says by its exit status how that went. */
final class NamedTest {
    static final int PASSED = 0;
    static final int FAILED = 10;
    static final int NOT_FOUND = 11;

    private NamedTest() {}

    /**
     * Runs it.
     *
     * @param arguments the test, as {@code class#method}
     */
    public static void main(String[] arguments) throws ClassNotFoundException {
        var summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector(arguments[0]))
                                .build(),
                        summary);
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        summary.getSummary().printFailuresTo(out, 8);
        boolean found = summary.getSummary().getTestsFoundCount() > 0;
        Runtime.getRuntime()
                .halt(!found ? NOT_FOUND : summary.getSummary().getTotalFailureCount() > 0 ? FAILED : PASSED);
    }

    private static DiscoverySelector selector(String test) throws ClassNotFoundException {
        Class<?> owner = Class.forName(test.substring(0, test.indexOf('#')));
        Method method = methodsOf(owner)
                .filter(one -> one.getName().equals(test.substring(test.indexOf('#') + 1)))
                .findFirst()
                .orElseThrow();
        return DiscoverySelectors.selectMethod(owner, method);
    }

    /** Its own and those of its ancestors. */
    static Stream<Method> methodsOf(Class<?> owner) {
        return Stream.<Class<?>>iterate(owner, one -> one != null, Class::getSuperclass)
                .flatMap(one -> Stream.of(one.getDeclaredMethods()));
    }
}
