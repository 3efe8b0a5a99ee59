package io.urma4j.tools;

import io.urma4j.tools.admin.AdminCommand;
import io.urma4j.tools.admin.PerfCommand;
import io.urma4j.tools.admin.SocketsCommand;
import io.urma4j.tools.decode.DecodeCommand;
import io.urma4j.tools.demo.DemoCommand;
import io.urma4j.tools.demo.DemoHomeCommand;
import io.urma4j.tools.demo.DemoInitiatorCommand;
import io.urma4j.tools.doctor.DoctorCommand;
import io.urma4j.tools.perftest.PerftestCommand;
import io.urma4j.tools.ping.PingCommand;
import io.urma4j.tools.pingpong.PingpongCommand;
import io.urma4j.tools.simulate.SimulateCommand;
import io.urma4j.tools.tck.TckCommand;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code urma}. */
@Command(
        name = "urma",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT, // help, exit codes and version are the same in all commands
        versionProvider = Main.Version.class,
        usageHelpAutoWidth = true,
        description = "Inspect, try and measure remote memory from the shell.",
        subcommands = {
            DevicesCommand.class,
            DoctorCommand.class,
            DemoCommand.class,
            ShareCommand.class,
            LsCommand.class,
            FetchCommand.class,
            PutCommand.class,
            AddCommand.class,
            AdminCommand.class,
            PerfCommand.class,
            PerftestCommand.class,
            PingCommand.class,
            PingpongCommand.class,
            RunCommand.class,
            SocketsCommand.class,
            CaptureCommand.class,
            DecodeCommand.class,
            SimulateCommand.class,
            TckCommand.class,
            GenerateCompletion.class,
            DemoHomeCommand.class,
            DemoInitiatorCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:failure, explained on stderr", "2:usage error", "130:interrupted by Ctrl-C"})
public final class Main implements Callable<Integer> {
    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure instead of one line.")
    private boolean debug;

    @Spec
    private CommandSpec spec;

    private Main() {}

    /** Runs the command; the exit code is 0, 1 for a failure, 2 for a wrong use. */
    public static void main(String[] args) {
        OrderlyEnd end = OrderlyEnd.ofThisThread();
        int code = ExitCode.SOFTWARE;
        try {
            code = run(StandardOutput.ofThisProcess(), System.err, args);
        } catch (Error e) { // picocli handles only exceptions, and not, for example, an exhausted heap
            System.err.println("urma: " + FailureReport.describe(e));
        } finally {
            end.exit(code);
        }
    }

    /** Runs the command; the exit code is not 0 if a write to {@code stdout} failed. This interrupts the command. */
    static int run(StandardOutput stdout, PrintStream err, String... args) {
        PrintStream out = new PrintStream(new BufferedOutputStream(stdout), false, System.out.charset());
        CommandLine commandLine = commandLine(out, err, new FailureReport(stdout));
        int code = commandLine.execute(args);
        commandLine.getOut().flush();
        out.flush();
        IOException failure = stdout.failure();
        if (failure == null) {
            return code;
        }
        var _ = Thread.interrupted(); // the command has ended
        if (StandardOutput.isClosedPipe(failure)) {
            return StandardOutput.CLOSED_PIPE;
        }
        if (code != ExitCode.OK && code != FailureReport.INTERRUPTED) {
            return code;
        }
        err.println("urma: cannot write standard output: " + failure.getMessage());
        return ExitCode.SOFTWARE;
    }

    /** The command with all of its subcommands, writing to the given streams. */
    static CommandLine commandLine(PrintStream out, PrintStream err) {
        return commandLine(out, err, new FailureReport(null));
    }

    private static CommandLine commandLine(PrintStream out, PrintStream err, FailureReport report) {
        CommandLine commandLine = new CommandLine(new Main())
                .setOut(writer(out))
                .setErr(writer(err))
                .setExpandAtFiles(false) // @FILE is a file that holds a share line
                .setParameterExceptionHandler(report)
                .setExecutionExceptionHandler(report);
        AddCommand.takeNegativeNumbers(commandLine);
        ChildProgram.leaveItsOptions(commandLine, "capture");
        ChildProgram.leaveItsOptions(commandLine, "run");
        return commandLine;
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, Terminal.charset(stream.charset()));
    }

    boolean debug() {
        return debug;
    }

    /** Without a subcommand: prints the list of subcommands. */
    @Override
    public Integer call() {
        return Subcommands.missing(spec);
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"urma4j " + (version == null ? "(not from a jar)" : version)};
        }
    }
}
