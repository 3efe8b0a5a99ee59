package io.urma4j.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerMemoryExaminationTest {
    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    @Test
    void bareMachineHasNothing() throws IOException {
        var examination = new PeerMemoryExamination(root);

        assertThat(examination.drivers().found()).isEqualTo("none");
        assertThat(examination.kernelClients().found()).startsWith("none").contains("dma-buf");
        assertThat(examination.iommu().found()).isEqualTo("none");
    }

    @Test
    void driversAndClientsAreNamedWithTheirVersions() throws IOException {
        write("sys/module/nvidia/version", "580.65.06");
        write("sys/module/nvidia_peermem/version", "580.65.06");
        write("dev/kfd", "");
        write("sys/kernel/mm/memory_peers/nv_mem/version", "1.0");
        write("sys/kernel/mm/memory_peers/npu/version", "2.1");
        var examination = new PeerMemoryExamination(root);

        assertThat(examination.drivers().found()).isEqualTo("AMD KFD, NVIDIA 580.65.06, nvidia_peermem 580.65.06");
        assertThat(examination.kernelClients().found()).isEqualTo("npu 2.1, nv_mem 1.0");
    }

    @Test
    void groupsOfTheIommuAreCountedByType() throws IOException {
        write("sys/kernel/iommu_groups/0/type", "DMA-FQ");
        write("sys/kernel/iommu_groups/1/type", "identity");
        write("sys/kernel/iommu_groups/2/type", "DMA-FQ");

        assertThat(new PeerMemoryExamination(root).iommu().found())
                .startsWith("groups: 2 of type DMA-FQ, 1 of type identity");
    }

    @Test
    void realMachineIsExaminedWithoutAFailure() {
        assertThat(new PeerMemoryExamination().findings())
                .hasSize(4)
                .allMatch(finding -> finding.mark() == Finding.Mark.OK);
    }
}
