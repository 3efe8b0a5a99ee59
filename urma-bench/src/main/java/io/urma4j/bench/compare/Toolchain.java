package io.urma4j.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where peers come from: packages of the system, C sources of ours, jars by Maven. Everything is kept, so that only the
 * first run is slow.
 */
public final class Toolchain {
    private static final Duration INSTALLATION = Duration.ofMinutes(5);
    private static final Duration COMPILATION = Duration.ofMinutes(1);

    private final Path root;
    private final boolean mayInstall;
    private boolean isUpdated;
    private boolean hasBuilt;

    /**
     * A toolchain in a source tree.
     *
     * @param mayInstall whether packages may be added to this system
     */
    public Toolchain(Path root, boolean mayInstall) {
        this.root = root;
        this.mayInstall = mayInstall;
    }

    /** Whether anything had to be installed or built so far. */
    boolean hasBuilt() {
        return hasBuilt;
    }

    private Path target() {
        return root.resolve("urma-bench/target/peers");
    }

    /** Sees to it that the program is there, by the packages of Debian and its relatives where that is allowed. */
    public void need(String program, String... packages)
            throws PeerUnavailableException, IOException, InterruptedException {
        if (!Processes.has(program)) {
            install(program, packages);
        }
    }

    /** The same of a file, such as a header. */
    public void need(Path file, String... packages) throws PeerUnavailableException, IOException, InterruptedException {
        if (!Files.exists(file)) {
            install(file.toString(), packages);
        }
    }

    /** What is needed is known not to be there. */
    public void install(String what, String... packages)
            throws PeerUnavailableException, IOException, InterruptedException {
        String wanted = what + " is not there (" + String.join(", ", packages) + ")";
        if (!mayInstall) {
            throw new PeerUnavailableException(wanted + ", and nothing is to be installed now");
        }
        if (!Processes.has("apt-get") || !"root".equals(System.getProperty("user.name"))) {
            throw new PeerUnavailableException(wanted + ", and only root may install it, where there is apt-get");
        }
        hasBuilt = true;
        System.err.println("compare: installing " + String.join(" ", packages));
        Map<String, String> quietly = Map.of("DEBIAN_FRONTEND", "noninteractive");
        try {
            if (!isUpdated) {
                Processes.run(Processes.ANYWHERE, quietly, INSTALLATION, List.of("apt-get", "-qq", "update"));
                isUpdated = true;
            }
            List<String> command =
                    new ArrayList<>(List.of("apt-get", "-qq", "install", "-y", "--no-install-recommends"));
            command.addAll(List.of(packages));
            Processes.run(Processes.ANYWHERE, quietly, INSTALLATION, command);
        } catch (IOException e) {
            throw new PeerUnavailableException(wanted + ": " + e.getMessage());
        }
    }

    /** The installed version of a package; "unknown" where it came otherwise. */
    public String packageVersion(String name) throws InterruptedException {
        try {
            return Processes.run(
                            Processes.ANYWHERE,
                            Map.of(),
                            COMPILATION,
                            List.of("dpkg-query", "-W", "-f", "${Version}", name))
                    .strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** Compiles one of our C programs with this compiler, and returns the program. */
    public Path compile(String compiler, String name, String... options)
            throws PeerUnavailableException, IOException, InterruptedException {
        need(compiler, "gcc", "libc6-dev");
        Path folder = Files.createDirectories(target());
        Path source = folder.resolve(name + ".c");
        Path program = folder.resolve(name);
        byte[] text;
        try (InputStream in = Toolchain.class.getResourceAsStream("/" + name + ".c")) {
            if (in == null) {
                throw new IOException("the program lacks its resource " + name + ".c");
            }
            text = in.readAllBytes();
        }
        if (Files.isExecutable(program)
                && Files.exists(source)
                && java.util.Arrays.equals(Files.readAllBytes(source), text)) {
            return program;
        }
        hasBuilt = true;
        Files.write(source, text);
        List<String> command =
                new ArrayList<>(List.of(compiler, "-O3", "-march=native", "-o", program.toString(), source.toString()));
        command.addAll(List.of(options));
        try {
            Processes.run(Processes.ANYWHERE, Map.of(), COMPILATION, command);
        } catch (IOException e) {
            throw new PeerUnavailableException(compiler + " could not compile " + name + ".c: " + e.getMessage());
        }
        return program;
    }

    /**
     * Compiles a JVM's program in {@code urma-bench/peers/NAME}, a Maven project of its own with what it depends on.
     *
     * @return its class path
     */
    public String jvm(String name) throws PeerUnavailableException, IOException, InterruptedException {
        Path project = root.resolve("urma-bench/peers").resolve(name);
        Path built = target().resolve(name);
        Path classes = built.resolve("classes");
        Path mark = built.resolve("built");
        if (!Files.exists(mark) || isOlder(mark, project)) {
            hasBuilt = true;
            System.err.println("compare: building the peer " + name);
            Files.createDirectories(classes);
            try {
                Processes.run(
                        Processes.ANYWHERE,
                        Map.of(),
                        INSTALLATION,
                        List.of(
                                root.resolve("build").toString(),
                                "-q",
                                "-B",
                                "-ntp",
                                "-f",
                                project.resolve("pom.xml").toString(),
                                "dependency:copy-dependencies",
                                "-DoutputDirectory=" + built.resolve("jars")));
                Processes.run(Processes.ANYWHERE, Map.of(), COMPILATION, javac(project, classes, classPath(built)));
            } catch (IOException e) {
                throw new PeerUnavailableException(String.valueOf(e.getMessage()));
            }
            Files.writeString(mark, "");
        }
        return classPath(built);
    }

    private static List<String> javac(Path project, Path classes, String classPath) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                classPath));
        command.addAll(files(project, ".java").stream().map(Path::toString).toList());
        return command;
    }

    private static String classPath(Path built) throws IOException {
        List<String> path =
                new ArrayList<>(List.of(built.resolve("classes").toString(), System.getProperty("java.class.path")));
        if (Files.isDirectory(built.resolve("jars"))) {
            files(built.resolve("jars"), ".jar").forEach(jar -> path.add(jar.toString()));
        }
        return String.join(":", path);
    }

    private static boolean isOlder(Path mark, Path project) throws IOException {
        for (Path file : files(project, "")) {
            if (Files.getLastModifiedTime(mark).compareTo(Files.getLastModifiedTime(file)) < 0) {
                return true;
            }
        }
        return false;
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }
}
