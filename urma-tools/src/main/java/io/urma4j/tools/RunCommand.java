package io.urma4j.tools;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code urma run}: runs a Java program whose sockets go through shared memory, or over a network device. */
@Command(
        name = "run",
        description = {
            "Run a Java program whose connections to processes of this host go through shared memory, where these "
                    + "run so, too. Those within the networks of urma.socket.networks, none by default, use udma0 "
                    + "between hosts. All others stay TCP.",
            "The program needs no change. Its JVM loads an agent, named by JAVA_TOOL_OPTIONS, as do the JVMs that it "
                    + "starts, which must be of version 25 or later. Other programs, such as a script, may stand between.",
            "Other settings go to the program's JVM as -Durma.socket.NAME=VALUE; see docs/settings.md."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma run -- java -jar server.jar --port 8080",
            "  urma run --require -- java -cp app.jar app.Client",
            "  urma sockets --watch"
        },
        exitCodeList = {"0…255:exit code of the program", "1:the program cannot be run", "2:usage error"})
final class RunCommand implements Callable<Integer> {
    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";

    @Option(
            names = "--require",
            description = "Refuse connections that can use neither shared memory nor udma0, instead of using TCP.")
    private boolean require;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "1..*",
            description = "The program and its arguments; 'urma' means this program.")
    private List<String> command;

    @Override
    public Integer call() throws InterruptedException {
        String options = options(agent(), require);
        String present = System.getenv(VARIABLE);
        String all = present == null || present.isBlank() ? options : present + " " + options;
        return new ChildProgram(command).run(Map.of(VARIABLE, all));
    }

    /** The JVM splits the variable at blanks outside of quotes. */
    static String options(Path agent, boolean require) {
        String path = agent.toString();
        if (path.indexOf('=') >= 0 || path.indexOf('"') >= 0) {
            throw new CommandFailure("a JVM cannot load an agent whose path has '=' or '\"' in it: " + path);
        }
        String options = "\"-javaagent:" + path + "\" --enable-native-access=ALL-UNNAMED";
        return require ? options + " -Durma.socket.mode=require" : options;
    }

    /** This program's own jar. */
    private static Path agent() {
        @Nullable CodeSource source = Main.class.getProtectionDomain().getCodeSource();
        try {
            Path jar = source == null ? null : Path.of(source.getLocation().toURI());
            if (jar != null && Files.isRegularFile(jar)) {
                return jar.toAbsolutePath();
            }
        } catch (URISyntaxException e) {
            throw new CommandFailure("the jar of this program has no path: " + e.getMessage(), e);
        }
        throw new CommandFailure("'urma run' needs urma.jar, but this program runs from classes; build it with ./urma");
    }
}
