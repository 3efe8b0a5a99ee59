package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.UrmaOptions;
import io.urma4j.libc.ResourceLimit;
import io.urma4j.libc.ResourceLimit.Bounds;
import io.urma4j.udma.control.PortAddress;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostDirectoryTest {
    private static final long INCARNATION = 4711;

    /** A process without free descriptors takes no living peer for dead. */
    @Test
    void whoCannotReadAFileTakesNobodyForDead(@TempDir Path temporary) {
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(temporary.resolve("runtime"));
        try (HostDirectory directory = HostDirectory.open(options)) {
            HostDirectory.Uasid living =
                    directory.takeUasid(new PortAddress(Eid.ofIpv4(1), 4791), INCARNATION, new Random(1));

            boolean isUnknown = directory.isDead(1, INCARNATION); // loads the classes that follow
            boolean isDead = isDeadWithoutDescriptors(directory, living.number());

            assertThat(isUnknown).isTrue();
            assertThat(isDead).isFalse();
            assertThat(directory.isDead(living.number(), INCARNATION)).isFalse();
            assertThat(directory.isDead(living.number(), INCARNATION + 1)).isTrue();
            living.file().remove();
            assertThat(directory.isDead(living.number(), INCARNATION)).isTrue();
        }
    }

    private static boolean isDeadWithoutDescriptors(HostDirectory directory, int uasid) {
        Bounds before = ResourceLimit.NOFILE.bounds();
        ResourceLimit.NOFILE.set(new Bounds(3, before.hard()));
        try {
            return directory.isDead(uasid, INCARNATION);
        } finally {
            ResourceLimit.NOFILE.set(before);
        }
    }
}
