package io.urma4j.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** A test of the class that exceeds this time fails, and is abandoned; {@link Patience} extends the time. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(EndsWithin.Deadline.class)
@interface EndsWithin {
    long seconds();

    /** Runs each test in a thread of its own, which is interrupted then: JUnit's own timeout is a constant. */
    final class Deadline implements InvocationInterceptor {
        @Override
        public void interceptTestMethod(
                Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> method,
                ExtensionContext context) {
            proceed(invocation, context);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> method,
                ExtensionContext context) {
            proceed(invocation, context);
        }

        private static void proceed(Invocation<@Nullable Void> invocation, ExtensionContext context) {
            EndsWithin limit = context.getRequiredTestClass().getAnnotation(EndsWithin.class);
            Duration time = Patience.stretched(Duration.ofSeconds(limit.seconds()));
            Assertions.assertTimeoutPreemptively(time, invocation::proceed);
        }
    }
}
