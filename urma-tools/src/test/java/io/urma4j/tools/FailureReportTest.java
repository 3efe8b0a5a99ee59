package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which failures point to the doctor: those that the machine causes, or its set-up. */
class FailureReportTest {
    private static final String HINT = "'urma doctor'";

    private static UrmaException refused(UrmaStatus status, String object) {
        return new UrmaException(status, object, "does not work");
    }

    static List<Throwable> failuresOfTheMachine() {
        Throwable nativeCall = catchThrowable(() -> Dir.open(Path.of("/proc/nowhere")));
        return List.of(
                nativeCall,
                new UrmaException(UrmaStatus.ENOPERM, "memory", "cannot be mapped", nativeCall),
                refused(UrmaStatus.ENOMEM, "allocate"),
                refused(UrmaStatus.FAIL, "device udma0"),
                refused(UrmaStatus.ETIMEOUT, "home"),
                refused(UrmaStatus.ENOPERM, "runtime directory /tmp/x"),
                new CommandFailure("port 1 cannot be listened on", new BindException("Permission denied")),
                new UncheckedIOException(new NoRouteToHostException("No route to host")),
                new FileSystemException("x", null, "Too many open files"),
                new IOException("Cannot run program \"java\": error=12, Cannot allocate memory"),
                new OutOfMemoryError("Java heap space"),
                new IllegalStateException("unforeseen"),
                new CommandFailure("no device works here; see 'urma doctor'", nativeCall),
                new UrmaException(UrmaStatus.FAIL, "Urma", "no device (see 'urma doctor')", nativeCall));
    }

    static Stream<Throwable> failuresOfOtherKinds() {
        return Stream.of(
                refused(UrmaStatus.EINVAL, "range"),
                refused(UrmaStatus.ENOPERM, "segment 'orders'"),
                refused(UrmaStatus.EEXIST, "name 'orders'"),
                new CommandFailure("there is more input than room"),
                new CommandFailure("no process listens", new ConnectException("Connection refused")),
                new NoSuchFileException("x"),
                new AccessDeniedException("x"),
                new UnknownHostException("nohost"));
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheMachine")
    void whatTheMachineCausesPointsToTheDoctorOnce(Throwable failure) {
        String line = FailureReport.describe(failure);

        assertThat(line).containsOnlyOnce(HINT).hasLineCount(1);
    }

    @ParameterizedTest
    @MethodSource("failuresOfOtherKinds")
    void whatTheMachineHasNoPartInDoesNot(Throwable failure) {
        String line = FailureReport.describe(failure);

        assertThat(line).doesNotContain("doctor").hasLineCount(1);
    }

    @Test
    void noControlCharacterReachesTheTerminal() {
        UrmaException failure = refused(UrmaStatus.EINVAL, "name 'a\u001b[2J\u009b1mb'");

        assertThat(FailureReport.describe(failure)).contains("name 'a?[2J?1mb'");
    }

    @Test
    void aHostThatNobodyKnowsIsCalledThat() {
        assertThat(FailureReport.describe(new UnknownHostException("nohost"))).isEqualTo("no host is called 'nohost'");
    }
}
