package io.urma4j.tck.mutants;

import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs one named test, and reports its result by the exit status. */
final class NamedTest {
    static final int PASSED = 0;
    static final int FAILED = 10;
    static final int NOT_FOUND = 11;

    private NamedTest() {}

    /**
     * Runs it.
     *
     * @param arguments the test, as {@code class#method} or {@code class$nested#method}; a suite inherits what is nested
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
        String[] parts = test.split("#", 2);
        Class<?> owner = classOf(parts[0]);
        Method method = methodsOf(owner)
                .filter(one -> one.getName().equals(parts[1]))
                .findFirst()
                .orElseThrow();
        Class<?> holder = Class.forName(outermost(parts[0]));
        return holder == owner
                ? DiscoverySelectors.selectMethod(owner, method)
                : DiscoverySelectors.selectNestedMethod(List.of(holder), owner, method);
    }

    /** The class of this name, also when {@code Holder$Nested} is nested in an ancestor of the holder. */
    static Class<?> classOf(String name) throws ClassNotFoundException {
        Class<?> holder = Class.forName(outermost(name));
        if (holder.getName().equals(name)) {
            return holder;
        }
        return ancestry(holder)
                .flatMap(one -> Stream.of(one.getDeclaredClasses()))
                .filter(nested -> name.equals(holder.getName() + "$" + nested.getSimpleName()))
                .findFirst()
                .orElseThrow(() -> new ClassNotFoundException(name));
    }

    private static String outermost(String name) {
        return name.split("\\$", 2)[0];
    }

    /** Its own and those of its ancestors. */
    static Stream<Method> methodsOf(Class<?> owner) {
        return ancestry(owner).flatMap(one -> Stream.of(one.getDeclaredMethods()));
    }

    private static Stream<Class<?>> ancestry(Class<?> type) {
        return Stream.iterate(type, one -> one != null, Class::getSuperclass);
    }
}
