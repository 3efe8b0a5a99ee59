package io.urma4j.udma.link;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace without a name: it is there as long as the process that holds it, which ends with this one, however
 * that ends.
 */
final class NetworkNamespace implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final Process holder;

    private NetworkNamespace(Process holder) {
        this.holder = holder;
    }

    /** Why this machine does not let us make them; empty when it does. */
    static Optional<String> objection() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("only root may make devices in a network namespace");
        }
        if (!Files.exists(Path.of("/dev/net/tun"))) {
            return Optional.of("there is no /dev/net/tun");
        }
        try (NetworkNamespace one = open()) {
            one.run("ip", "tuntap", "add", "dev", "attempt", "mode", "tun");
            one.run(
                    "tc", "qdisc", "add", "dev", "attempt", "root", "tbf", "rate", "10mbit", "burst", "16kb", "latency",
                    "100ms");
            return Optional.empty();
        } catch (IOException | AssertionError e) {
            return Optional.of("namespaces, devices or queues cannot be made here: " + e.getMessage());
        }
    }

    /** A new one, with its loopback up. */
    static NetworkNamespace open() throws IOException {
        // cat ends when our end of its input closes, also when we are killed
        NetworkNamespace made = new NetworkNamespace(new ProcessBuilder("unshare", "--net", "--", "cat")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        made.awaitOwn();
        made.run("ip", "link", "set", "lo", "up");
        return made;
    }

    /** The process begins in our namespace. */
    private void awaitOwn() throws IOException {
        Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (Files.readSymbolicLink(path()).equals(ours)) {
            if (!holder.isAlive() || System.nanoTime() - end > 0) {
                holder.destroyForcibly();
                throw new IOException("unshare --net makes no namespace");
            }
            Thread.onSpinWait();
        }
    }

    /** The file that stands for it. */
    Path path() {
        return Path.of("/proc/" + holder.pid() + "/ns/net");
    }

    /** The process that holds it. */
    long pid() {
        return holder.pid();
    }

    /** What to put before a command, so that it runs there. */
    List<String> launcher() {
        return List.of("nsenter", "--net=" + path());
    }

    /** Runs a command there, which must succeed; returns what it says. */
    String run(String... command) {
        List<String> whole = new ArrayList<>(launcher());
        whole.addAll(List.of(command));
        try {
            Process process =
                    new ProcessBuilder(whole).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + ": " + said.strip());
            }
            return said;
        } catch (IOException e) {
            throw new AssertionError(String.join(" ", command) + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        holder.destroyForcibly();
    }
}
