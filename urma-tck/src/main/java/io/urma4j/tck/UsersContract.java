package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.SegmentConfig;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §13: the users that a home trusts. Each provider's own tests cover other users of the host. */
public abstract class UsersContract extends Contract {
    protected UsersContract(String device) {
        super(device);
    }

    /** Opens a context in this runtime directory. */
    private void openIn(Path directory) {
        try (var urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
                var context = urma.device(deviceName()).openContext()) {
            assertThat(context.uasid()).isPositive();
        }
    }

    /** S13.3: a new runtime directory is accessible only to its owner. */
    @Rule("S13.3")
    @Test
    void runtimeDirectoryIsMadeForItsOwnerAlone() throws IOException {
        Path directory = pair.directory().resolve("made");

        openIn(directory);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
    }

    /** S13.3: a directory that other users may enter or read is refused, and the message tells how to correct it. */
    @Rule("S13.3")
    @ParameterizedTest
    @ValueSource(strings = {"rwxr-xr-x", "rwx--x---", "rwxrwxrwx", "rwx---r--"})
    void runtimeDirectoryThatOthersMayEnterIsRefused(String permissions) throws IOException {
        Path directory = Files.createDirectory(pair.directory().resolve("open"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));

        assertRefused(UrmaStatus.ENOPERM, () -> openIn(directory))
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("0700");
    }

    /** S13.3: a symbolic link may later point to a directory of another user. */
    @Rule("S13.3")
    @Test
    void runtimeDirectoryThatIsASymbolicLinkIsRefused() throws IOException {
        Path target = Files.createDirectory(
                pair.directory().resolve("target"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path link = Files.createSymbolicLink(pair.directory().resolve("link"), target);
        try {
            assertRefused(UrmaStatus.ENOPERM, () -> openIn(link)).hasMessageContaining("symbolic link");
        } finally {
            Files.delete(link);
        }
    }

    /**
     * S13.4, S7.4: a policy that would hide tokens is refused where the device does not offer it, so that no
     * application relies on it.
     */
    @Rule({"S13.4", "S7.4"})
    @ParameterizedTest
    @EnumSource(
            value = TokenPolicy.class,
            names = {"SIGNED", "ALL_ENCRYPTED"})
    void policyThatHidesTokensIsRefusedWhereItDoesNotExist(TokenPolicy policy) {
        Assumptions.assumeFalse(
                pair.device().attributes().capabilities().tokenPolicies().contains(policy),
                "the device offers " + policy);
        var context = pair.initiator().context();
        var memory = context.allocate(4096);

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.register(
                                memory, SegmentConfig.of(Access.READ).withPolicy(policy)))
                .hasMessageContaining(policy.name())
                .hasMessageContaining("PLAIN_TEXT");
    }
}
