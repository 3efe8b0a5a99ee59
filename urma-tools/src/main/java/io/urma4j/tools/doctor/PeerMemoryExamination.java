package io.urma4j.tools.doctor;

import io.urma4j.Urma;
import io.urma4j.peer.PeerClient;
import io.urma4j.peer.PeerMemory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Memory of GPUs and NPUs: the drivers of the kernel, what a network card could reach by itself, and the clients that work here. The
 * software devices reach such memory by copies of its engine through host memory.
 */
final class PeerMemoryExamination implements Examination {
    private static final String CLIENTS = "device memory";
    private static final String PEERS = "peer memory clients of the kernel";
    private static final String DRIVERS = "drivers of GPUs and NPUs";
    private static final String IOMMU = "IOMMU";

    /** What shows a driver: a file of each, and the name that people know. */
    private static final Map<String, String> DRIVER_FILES = new TreeMap<>(Map.of(
            "sys/module/nvidia/version", "NVIDIA",
            "sys/module/nvidia_peermem/version", "nvidia_peermem",
            "dev/kfd", "AMD KFD",
            "dev/davinci_manager", "Ascend",
            "sys/module/xe/srcversion", "Intel xe"));

    private final Path root;

    PeerMemoryExamination() {
        this(Path.of("/"));
    }

    /** Looks below {@code root} instead of the machine's own root. */
    PeerMemoryExamination(Path root) {
        this.root = root;
    }

    @Override
    public List<Finding> findings() {
        return List.of(
                Examination.guarded(DRIVERS, "", this::drivers),
                Examination.guarded(PEERS, "", this::kernelClients),
                Examination.guarded(IOMMU, "", this::iommu),
                Examination.guarded(CLIENTS, "", PeerMemoryExamination::clients));
    }

    Finding drivers() throws IOException {
        List<String> found = new ArrayList<>();
        for (Map.Entry<String, String> driver : DRIVER_FILES.entrySet()) {
            Path file = root.resolve(driver.getKey());
            if (Files.exists(file)) {
                found.add(driver.getValue() + version(file));
            }
        }
        return Finding.ok(DRIVERS, found.isEmpty() ? "none" : String.join(", ", found));
    }

    private static String version(Path file) throws IOException {
        return file.endsWith("version") && Files.isReadable(file)
                ? " " + Files.readString(file).strip()
                : "";
    }

    /** Those by which the drivers of network cards pin device memory; without them they use dma-buf. */
    Finding kernelClients() throws IOException {
        Path peers = root.resolve("sys/kernel/mm/memory_peers");
        if (!Files.isDirectory(peers)) {
            return Finding.ok(PEERS, "none; a network card would reach device memory by dma-buf");
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> each = Files.newDirectoryStream(peers)) {
            for (Path peer : each) {
                names.add(peer.getFileName() + version(peer.resolve("version")));
            }
        }
        names.sort(null);
        return Finding.ok(PEERS, names.isEmpty() ? "none" : String.join(", ", names));
    }

    /** Whether bus addresses differ from physical ones: a client that hands out physical ones faults then. */
    Finding iommu() throws IOException {
        Path groups = root.resolve("sys/kernel/iommu_groups");
        if (!Files.isDirectory(groups)) {
            return Finding.ok(IOMMU, "none");
        }
        Map<String, Integer> types = new TreeMap<>();
        try (DirectoryStream<Path> each = Files.newDirectoryStream(groups)) {
            for (Path group : each) {
                Path type = group.resolve("type");
                types.merge(Files.isReadable(type) ? Files.readString(type).strip() : "unknown", 1, Integer::sum);
            }
        }
        if (types.isEmpty()) {
            return Finding.ok(IOMMU, "none");
        }
        String counted = types.entrySet().stream()
                .map(entry -> entry.getValue() + " of type " + entry.getKey())
                .collect(Collectors.joining(", "));
        return Finding.ok(IOMMU, "groups: " + counted + "; all but identity translate addresses");
    }

    private static Finding clients() {
        try (Urma urma = Urma.open()) {
            PeerMemory memory = urma.peerMemory();
            String working = memory.clients().stream()
                    .map(PeerMemoryExamination::describe)
                    .collect(Collectors.joining(", "));
            String found = working.isEmpty() ? "no client works here" : working + "; its bytes travel by copies";
            String absent = memory.absentClients().keySet().stream().sorted().collect(Collectors.joining(", "));
            return Finding.ok(
                    CLIENTS, absent.isEmpty() ? found : found + "; absent: " + absent + " (urma devices --memory)");
        }
    }

    private static String describe(PeerClient client) {
        return client.name() + " " + client.version() + " with "
                + client.devices().size() + " devices";
    }
}
