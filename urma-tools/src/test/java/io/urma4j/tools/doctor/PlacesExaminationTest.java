package io.urma4j.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.UserIds;
import io.urma4j.tools.doctor.Finding.Mark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacesExaminationTest {
    @TempDir
    Path parent;

    private Path folder;
    private final int uid = UserIds.effective();

    @BeforeEach
    void nameAFolder() {
        folder = parent.resolve("urma4j");
    }

    @Test
    void findsTheFolderWhereTheLibraryDoes() {
        assertThat(new PlacesExamination(Map.of("URMA_RUNTIME_DIR", "/a", "XDG_RUNTIME_DIR", "/b")).path(7))
                .isEqualTo(Path.of("/a"));
        assertThat(new PlacesExamination(Map.of("XDG_RUNTIME_DIR", "/b")).path(7))
                .isEqualTo(Path.of("/b/urma4j"));
        assertThat(new PlacesExamination(Map.of()).path(7)).isEqualTo(Path.of("/tmp/urma4j-7"));
    }

    @Test
    void aFolderOfOnesOwnIsWell() throws Exception {
        mode("rwx------");

        assertThat(PlacesExamination.judge(folder, uid).mark()).isEqualTo(Mark.OK);
    }

    @Test
    void aFolderThatIsNotYetThereIsWell() throws Exception {
        assertThat(PlacesExamination.judge(folder, uid).mark()).isEqualTo(Mark.OK);
    }

    @Test
    void aFolderThatOthersMayEnterIsRefusedWithTheCure() throws Exception {
        mode("rwxr-x---");

        var finding = PlacesExamination.judge(folder, uid);

        assertThat(finding.mark()).isEqualTo(Mark.FAIL);
        assertThat(finding.found()).contains("mode 0750");
        assertThat(finding.advice()).contains("chmod 0700 " + folder);
    }

    @Test
    void aFolderOfAnotherUserIsRefused() throws Exception {
        mode("rwx------");

        assertThat(PlacesExamination.judge(folder, uid + 1).found()).contains("belongs to user " + uid);
    }

    @Test
    void aLinkIsRefused() throws Exception {
        Files.createSymbolicLink(folder, parent);

        assertThat(PlacesExamination.judge(folder, uid).mark()).isEqualTo(Mark.FAIL);
    }

    private void mode(String permissions) throws Exception {
        Files.createDirectory(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
    }
}
