package io.urma4j.shm;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.NativeAccess;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.UrmaProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Remote memory between the processes of one host. */
public final class ShmProvider implements UrmaProvider {
    static final String NAME = "shm";

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final long PREFIX = 0xfd75_726d_6134_0000L; // fd00::/8 is for everybody's own use; "urma4"

    /** For {@link java.util.ServiceLoader}. */
    public ShmProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<ProviderDevice> devices(UrmaOptions options) {
        Optional<String> refusal = NativeAccess.refusal();
        if (refusal.isPresent()) {
            throw new UrmaException(UrmaStatus.FAIL, "provider shm", refusal.get());
        }
        return List.of(new ShmDevice(options, eidOfThisHost()));
    }

    /** An address that differs between hosts and between boots: memory does not outlive either. */
    private static Eid eidOfThisHost() {
        String boot;
        try {
            boot = Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            boot = "unknown"; // no /proc here: all hosts look alike, and incarnations tell them apart
        }
        UUID hash = UUID.nameUUIDFromBytes(boot.getBytes(StandardCharsets.US_ASCII));
        return new Eid(PREFIX, hash.getMostSignificantBits() ^ hash.getLeastSignificantBits());
    }
}
