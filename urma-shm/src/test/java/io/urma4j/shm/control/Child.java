package io.urma4j.shm.control;

import io.urma4j.Access;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlMessage.Hello;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another process with a context, for tests that stop or kill it. */
final class Child implements AutoCloseable {
    private static final int STARTED_AT_ONCE = 16;
    private static final String HOME = "home";
    private static final String IMPORTER = "importer";
    private static final String BUSY = "busy";
    private static final String VISITOR = "visitor";

    /** How often a visitor comes, each time under another name. */
    static final int VISITS = 200;

    /** A busy importer reports progress each time after this number of imports. */
    private static final int BUSY_REPORT = 20;

    private final Process process;
    private final BufferedReader output;

    private Child(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** A home that has published a segment as {@code name}. */
    static Child home(Path directory, String name) throws IOException {
        return start(HOME, directory, name).ready();
    }

    /** An importer of what is published as {@code name}, with a message path to its home. */
    static Child importer(Path directory, String name) throws IOException {
        return start(IMPORTER, directory, name).ready();
    }

    /** Many importers, each as {@link #importer}. Some start at once, and the rest behind them: a start needs the processor. */
    static List<Child> importers(Path directory, String name, int count) throws IOException {
        List<Child> all = new ArrayList<>();
        try {
            while (all.size() < count) {
                int first = all.size();
                while (all.size() < Math.min(first + STARTED_AT_ONCE, count)) {
                    all.add(start(IMPORTER, directory, name));
                }
                for (Child one : all.subList(first, all.size())) {
                    one.ready();
                }
            }
            return all;
        } catch (IOException | AssertionError e) {
            all.forEach(Child::close);
            throw e;
        }
    }

    /** An importer that imports and releases again and again. */
    static Child busyImporter(Path directory, String name) throws IOException {
        return start(BUSY, directory, name).ready();
    }

    /** A process that has greeted {@code home} under many names, left each time, and stays alive. */
    static Child visitor(Path directory, ControlPlane home) throws IOException {
        return start(VISITOR, directory, home.address() + "/" + home.incarnation())
                .ready();
    }

    private static Child start(String role, Path directory, String name) throws IOException {
        List<String> command = Stream.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC", // small, since there may be hundreds
                        "-Xmx64m",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        role,
                        directory.toString(),
                        name)
                .toList();
        return new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    private Child ready() throws IOException {
        String line = output.readLine();
        if (!"ready".equals(line)) {
            kill();
            throw new AssertionError("the child said " + line);
        }
        return this;
    }

    /** How many imports a busy importer has made since it was asked last, in steps. */
    int importsSince() throws IOException {
        int imports = 0;
        while (output.ready()) {
            if (!"on".equals(output.readLine())) {
                throw new AssertionError("the child has ended");
            }
            imports += BUSY_REPORT;
        }
        return imports;
    }

    int pid() {
        return Math.toIntExact(process.pid());
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        process.onExit().join();
    }

    /** The other side. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals(VISITOR)) {
            visit(Path.of(arguments[1]), arguments[2].split("/", 2));
            System.out.println("ready");
            Thread.sleep(Long.MAX_VALUE);
        }
        TestContext context = new TestContext(Path.of(arguments[1]));
        String name = arguments[2];
        switch (arguments[0]) {
            case HOME ->
                TestContext.get(context.share(1 << 20, Access.READ_WRITE).publish(name, true));
            case IMPORTER -> {
                ShmImport imported = importByName(context, name);
                TestContext.get(
                        context.plane.importQueue(queueOf(imported), TestContext.QUEUE_TOKEN, TestContext.LONG));
            }
            case BUSY -> {
                System.out.println("ready");
                for (long i = 1; ; i++) {
                    TestContext.get(importByName(context, name).close());
                    if (i % BUSY_REPORT == 0) {
                        System.out.println("on");
                    }
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE); // until it is killed
    }

    private static void visit(Path directory, String[] home) throws Exception {
        for (int i = 1; i <= VISITS; i++) {
            try (RawPeer peer = RawPeer.connectedTo(directory, home[0])) {
                peer.send(RawPeer.hello(Long.parseLong(home[1]), i));
                if (!(peer.receive().orElseThrow() instanceof Hello)) {
                    throw new AssertionError("visit " + i + " was not greeted");
                }
            }
        }
    }

    private static JettyDescriptor queueOf(ShmImport imported) {
        Peer home = imported.home();
        return new JettyDescriptor(
                new JettyId(home.eid(), home.uasid(), TestContext.QUEUE),
                JettyDescriptor.Kind.JFR,
                home.id().incarnation(),
                TransportMode.RM,
                OrderType.OI,
                TokenPolicy.PLAIN_TEXT,
                List.of(new Endpoint("shm", home.id().address(), 0, 0, false)));
    }

    private static ShmImport importByName(TestContext context, String name) throws Exception {
        var found = TestContext.get(context.plane.lookup(name, TestContext.LONG));
        return (ShmImport) TestContext.get(context.plane.importSegment(
                new ImportRequest(found.descriptor(), found.token(), Access.READ_WRITE, TestContext.LONG)));
    }
}
