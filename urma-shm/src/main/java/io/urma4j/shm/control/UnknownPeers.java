package io.urma4j.shm.control;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.PeerCredentials;
import io.urma4j.libc.UserIds;
import io.urma4j.spi.control.ControlMessage.Hello;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks which peers to talk to at all: processes of the same user that identify themselves. */
final class UnknownPeers {
    private static final Path OVERFLOW_UID = Path.of("/proc/sys/kernel/overflowuid");
    private static final int DEFAULT_OVERFLOW_UID = 65534;
    private static final String WHOLE_RANGE = "4294967295";

    private UnknownPeers() {}

    /**
     * Refuses processes of other users (S13.3).
     *
     * @throws UrmaException ENOPERM
     */
    static void checkUser(PeerCredentials peer) {
        int own = UserIds.effective();
        if (peer.uid() != own) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM, "peer", "belongs to uid " + peer.uid() + ", this process to uid " + own);
        }
        if (peer.uid() == overflowUid() && !everyUidIsMapped()) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    "peer",
                    "has uid " + peer.uid() + ", which stands for every user that this namespace does not map");
        }
    }

    /** The uid that the kernel shows instead of one that this namespace does not map. */
    static int overflowUid() {
        // one long read: files under /proc/sys do not support a second read, and readString begins with a short one
        try (BufferedReader file = Files.newBufferedReader(OVERFLOW_UID)) {
            return Integer.parseInt(String.valueOf(file.readLine()).strip());
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_OVERFLOW_UID;
        }
    }

    private static boolean everyUidIsMapped() {
        try {
            return Files.readString(Path.of("/proc/self/uid_map")).strip().endsWith(WHOLE_RANGE);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a greeting names a context; without a name, peers cannot be distinguished. */
    static boolean saysWhoItIs(Hello hello) {
        return PeerId.isAddress(hello.address()) && hello.uasid() != 0 && hello.incarnation() != 0;
    }
}
