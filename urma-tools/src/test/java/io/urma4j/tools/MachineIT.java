package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** What the command reports about the machine. */
class MachineIT extends WithShell {
    @Test
    void devicesAreListedWithWhatTheyCanDo() throws Exception {
        Ended devices = shell.run("devices");

        assertThat(devices.exitCode()).as(devices.err()).isZero();
        assertThat(devices.err()).isEmpty();
        assertThat(devices.out())
                .startsWith("DEVICE")
                .containsPattern("(?m)^shm0 .*7 of 7")
                .contains("shm0: ");
        assertThat(shell.run("devices", "--json").out())
                .contains("\"name\" : \"shm0\"")
                .contains("\"oneSided\" : true");
    }

    @Test
    void theDoctorFindsAWorkingDevice() throws Exception {
        Ended doctor = shell.run("doctor");

        assertThat(doctor.exitCode()).as(doctor.out() + doctor.err()).isZero();
        assertThat(doctor.out())
                .containsPattern("ok +device shm0 +works\\.")
                .containsPattern("ok +device udma0 +works\\..*clear text")
                .doesNotContain("  fail  ");
    }

    @Test
    void theDoctorNamesAFolderThatOthersMayEnterAndTheCure() throws Exception {
        Files.createDirectory(shell.runtimeDirectory());
        Files.setPosixFilePermissions(shell.runtimeDirectory(), PosixFilePermissions.fromString("rwxrwxrwx"));

        Ended doctor = shell.run("doctor");

        assertThat(doctor.exitCode()).as(doctor.out()).isEqualTo(1);
        assertThat(doctor.out()).contains("has mode 0777").contains("chmod 0700 " + shell.runtimeDirectory());
        assertThat(doctor.err()).startsWith("urma: unusable: ").contains("runtime directory");
    }

    @Test
    void theCompletionScriptKnowsTheCommands() throws Exception {
        Ended script = shell.run("generate-completion");

        assertThat(script.exitCode()).as(script.err()).isZero();
        assertThat(script.out()).contains("complete -F").contains("doctor").doesNotContain("demo-home");
    }
}
