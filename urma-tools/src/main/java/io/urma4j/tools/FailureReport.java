package io.urma4j.tools;

import io.urma4j.DescriptorException;
import io.urma4j.UrmaException;
import io.urma4j.libc.LibcException;
import io.urma4j.tools.doctor.DoctorCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns a failure into one clear line on stderr and an exit code; prints the stack only with {@code --debug}. */
public final class FailureReport implements IExecutionExceptionHandler, IParameterExceptionHandler {
    /** What a shell gives for Ctrl-C. */
    static final int INTERRUPTED = 130;

    private static final String DOCTOR = "'urma doctor'";

    private final @Nullable StandardOutput stdout;

    /** @param stdout whose failure interrupts the command; null if that does not happen */
    FailureReport(@Nullable StandardOutput stdout) {
        this.stdout = stdout;
    }

    /** Reports a usage error, and refers to the help. */
    @Override
    public int handleParseException(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("urma: " + Source.withoutLines(oneLine(UsageError.describe(failure)), List.of(args)));
        err.println("urma: see '" + command.getCommandSpec().qualifiedName() + " --help'");
        if (List.of(args).contains("--debug")) {
            failure.printStackTrace(err);
        }
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Reports the failure of a command. */
    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        if (StandardOutput.isClosedPipe(failure)) {
            return StandardOutput.CLOSED_PIPE; // no message: the reader has all that it wanted
        }
        boolean interrupted = isInterrupt(failure);
        IOException unwritten = stdout == null ? null : stdout.failure();
        if (unwritten != null && (interrupted || StandardOutput.isClosedPipe(unwritten))) {
            return INTERRUPTED; // Main reports why standard output failed
        }
        boolean doctor = command.getCommandSpec().userObject() instanceof DoctorCommand; // it must not refer to itself
        err.println("urma: " + (interrupted ? "interrupted" : doctor ? words(failure) : describe(failure)));
        if (isDebug(command.getCommandSpec())) {
            failure.printStackTrace(err);
        }
        err.flush();
        return interrupted ? INTERRUPTED : command.getCommandSpec().exitCodeOnExecutionException();
    }

    private static boolean isDebug(CommandSpec command) {
        return command.root().userObject() instanceof Main main && main.debug();
    }

    /** An interrupt can appear as an InterruptedException, as a closed channel, or as a refused wait. */
    private static boolean isInterrupt(Throwable failure) {
        boolean flagged = Thread.interrupted(); // cleared, so that it does not affect the clean-up
        return flagged || failure instanceof InterruptedException || failure instanceof ClosedByInterruptException;
    }

    /**
     * The failure as one readable line. If the machine or its set-up is the cause, the line refers to the doctor,
     * unless it does so already: this is the only place that adds the reference.
     */
    public static String describe(Throwable failure) {
        String words = words(failure);
        return MachineFault.isIn(failure) && !words.contains(DOCTOR) ? words + " (see " + DOCTOR + ")" : words;
    }

    private static String words(Throwable failure) {
        return switch (failure) {
            case CommandFailure told -> oneLine(String.valueOf(told.getMessage()));
            case DescriptorException altered -> "the share line is not valid: " + oneLine(altered.reason());
            case UrmaException refused -> oneLine(String.valueOf(refused.getMessage()));
            case LibcException refused -> oneLine(String.valueOf(refused.getMessage()));
            case UncheckedIOException wrapped when wrapped.getCause() != null -> words(wrapped.getCause());
            case IOException io -> words(io);
            case OutOfMemoryError heap ->
                "not enough memory: " + heap.getMessage() + "; URMA_JAVA_OPTS=-Xmx1g makes the Java heap larger";
            default ->
                "internal error: " + oneLine(failure.toString()) + "; --debug shows where, and " + DOCTOR
                        + " what this machine offers";
        };
    }

    private static String words(IOException failure) {
        return switch (failure) {
            case NoSuchFileException missing -> "'" + missing.getFile() + "' does not exist";
            case AccessDeniedException denied -> "'" + denied.getFile() + "' may not be accessed by this user";
            case FileAlreadyExistsException exists -> "'" + exists.getFile() + "' exists already";
            case NotDirectoryException file -> "'" + file.getFile() + "' is not a directory";
            case UnknownHostException unknown -> "no host is called '" + unknown.getMessage() + "'";
            case FileSystemException other
            when other.getReason() != null -> other.getFile() + ": " + oneLine(other.getReason());
            default -> oneLine(failure.getMessage() == null ? failure.toString() : failure.getMessage());
        };
    }

    /** One line without control characters: a part of the text may come from a peer. */
    private static String oneLine(String text) {
        List<String> lines = new ArrayList<>(text.lines().map(String::strip).toList());
        lines.removeIf(String::isEmpty);
        return String.join("; ", lines).replaceAll("\\p{Cc}", "?");
    }
}
