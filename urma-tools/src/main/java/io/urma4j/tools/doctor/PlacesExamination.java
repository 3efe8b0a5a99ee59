package io.urma4j.tools.doctor;

import io.urma4j.libc.UserIds;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rendezvous of processes: the runtime directory, and the port of the network device. */
final class PlacesExamination implements Examination {
    private static final int ROCE_PORT = 4791;
    private static final int PRIVATE_MODE = 0700;

    private final Map<String, String> environment;

    PlacesExamination(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    @Override
    public List<Finding> findings() {
        return List.of(
                Examination.guarded("runtime directory", "see URMA_RUNTIME_DIR", this::runtimeDirectory), rocePort());
    }

    /** By the rule of {@link io.urma4j.UrmaOptions#runtimeDirectory}. */
    Path path(int uid) {
        String own = environment.getOrDefault("URMA_RUNTIME_DIR", "");
        if (!own.isEmpty()) {
            return Path.of(own);
        }
        String ofUser = environment.getOrDefault("XDG_RUNTIME_DIR", "");
        return ofUser.isEmpty() ? Path.of("/tmp", "urma4j-" + uid) : Path.of(ofUser, "urma4j");
    }

    private Finding runtimeDirectory() throws IOException {
        int uid = UserIds.effective();
        return judge(path(uid), uid);
    }

    static Finding judge(Path path, int uid) throws IOException {
        String name = "runtime directory";
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = path.getParent();
            return parent != null && Files.isWritable(parent)
                    ? Finding.ok(name, path + " is made when it is needed")
                    : Finding.fail(
                            name,
                            path + " is not there, and this user may not make it",
                            "set URMA_RUNTIME_DIR to a folder of this user");
        }
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return Finding.fail(name, path + " is no folder, or a link", "remove it, or set URMA_RUNTIME_DIR");
        }
        int owner = (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (owner != uid) {
            return Finding.fail(
                    name, path + " belongs to user " + owner + ", not to " + uid, "set URMA_RUNTIME_DIR to your own");
        }
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 0777;
        return mode == PRIVATE_MODE
                ? Finding.ok(name, path + ", for this user alone")
                : Finding.fail(
                        name,
                        path + " has mode " + String.format(Locale.ROOT, "%04o", mode),
                        "others could listen in; chmod 0700 " + path);
    }

    private static Finding rocePort() {
        String name = "UDP port " + ROCE_PORT;
        try (DatagramSocket _ = new DatagramSocket(ROCE_PORT)) {
            return Finding.ok(name, "free for a network device (RoCEv2); shared memory does not need it");
        } catch (SocketException e) {
            return Finding.warn(
                    name,
                    "taken, by a rdma_rxe of the kernel or another program: " + e.getMessage(),
                    "shared memory does not need it; a network device would");
        }
    }
}
