package io.urma4j.tools;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of this program, to start it once more. */
public final class OwnLauncher {
    private OwnLauncher() {}

    /** This JVM's own launcher, options, and class or module path; the arguments of {@code urma} go behind. */
    public static List<String> command() {
        List<String> line = new ArrayList<>();
        line.add(ProcessHandle.current()
                .info()
                .command()
                .orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!option.startsWith("-agent") && !option.startsWith("-javaagent") && !option.startsWith("-Xrun")) {
                line.add(option); // an agent, such as a debugger, is meant for one process
            }
        }
        Module module = Main.class.getModule();
        if (module.isNamed()) {
            line.addAll(List.of("--module-path", System.getProperty("jdk.module.path", "")));
            line.addAll(List.of("--module", module.getName() + "/" + Main.class.getName()));
        } else {
            line.add("--enable-native-access=ALL-UNNAMED");
            line.addAll(List.of("--class-path", System.getProperty("java.class.path"), Main.class.getName()));
        }
        return line;
    }
}
