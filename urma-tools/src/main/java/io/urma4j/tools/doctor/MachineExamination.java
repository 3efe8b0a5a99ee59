package io.urma4j.tools.doctor;

import io.urma4j.libc.Dir;
import io.urma4j.libc.Fd;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.MemFd.Seal;
import io.urma4j.libc.PidFd;
import io.urma4j.libc.Platform;
import io.urma4j.libc.UnixSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The JDK, the kernel, and the kernel features that remote memory needs. */
final class MachineExamination implements Examination {
    private static final int LEAST_JDK = 25;

    @Override
    public List<Finding> findings() {
        return List.of(
                jdk(),
                nativeAccess(),
                platform(),
                cpus(),
                Examination.guarded(
                        "memfd and seals",
                        "shared memory needs Linux 5.1 or later, and a sandbox that allows memfd_create",
                        MachineExamination::memFd),
                Examination.guarded(
                        "pidfd", "Linux 5.3 or later proves the death of a peer at once", MachineExamination::pidFd),
                Examination.guarded(
                        "SO_PEERPIDFD", "the temporary folder must take a socket", MachineExamination::peerPidFd));
    }

    private static Finding jdk() {
        String found = Runtime.version() + " of " + System.getProperty("java.vendor") + " in "
                + System.getProperty("java.home");
        return Runtime.version().feature() >= LEAST_JDK
                ? Finding.ok("JDK", found)
                : Finding.fail("JDK", found, "install JDK " + LEAST_JDK + " or later");
    }

    private static Finding nativeAccess() {
        String name = "native access";
        return Platform.class.getModule().isNativeAccessEnabled()
                ? Finding.ok(name, "enabled")
                : Finding.warn(
                        name, "not enabled: the JDK warns", "start java with --enable-native-access=ALL-UNNAMED");
    }

    private static Finding platform() {
        String found = System.getProperty("os.name") + " " + System.getProperty("os.version") + " on "
                + System.getProperty("os.arch");
        return Platform.current().isPresent()
                ? Finding.ok("kernel", found)
                : Finding.fail("kernel", found, "shared memory needs Linux on x86_64 or aarch64");
    }

    private static Finding cpus() {
        int cpus = Runtime.getRuntime().availableProcessors();
        return cpus > 1
                ? Finding.ok("CPUs", cpus + " for this process")
                : Finding.warn(
                        "CPUs",
                        "1 for this process",
                        "with 2 or more, a process can poll while its peer works; with 1 let waiters sleep");
    }

    private static Finding memFd() {
        try (Fd fd = MemFd.create("urma-doctor", 4096)) {
            MemFd.addSeals(fd, Seal.SHRINK, Seal.GROW, Seal.FUTURE_WRITE);
            return Finding.ok("memfd and seals", "memory can be shared, sealed against resizing and writing");
        }
    }

    private static Finding pidFd() {
        try (PidFd self = PidFd.open((int) ProcessHandle.current().pid())) {
            return self.isExited()
                    ? Finding.warn("pidfd", "says that this process has ended", "the death of a peer is seen late")
                    : Finding.ok("pidfd", "the death of a peer is proven at once");
        }
    }

    /** Queries a socket of this process for its peer, which is this process. */
    private static Finding peerPidFd() throws IOException {
        Path folder = Files.createTempDirectory("urma-doctor");
        try (Dir directory = Dir.open(folder);
                UnixSocket _ = UnixSocket.listen(directory, "s", 1);
                UnixSocket socket = UnixSocket.connect(directory, "s")) {
            boolean known = socket.peerPidFd().map(MachineExamination::closed).orElse(false);
            return known
                    ? Finding.ok("SO_PEERPIDFD", "a peer is known without a number that could be used again")
                    : Finding.warn(
                            "SO_PEERPIDFD",
                            "not here: a peer is found by its process number",
                            "Linux 6.5 or later has it");
        } finally {
            Files.deleteIfExists(folder.resolve("s"));
            Files.delete(folder);
        }
    }

    private static boolean closed(PidFd pidFd) {
        pidFd.close();
        return true;
    }
}
