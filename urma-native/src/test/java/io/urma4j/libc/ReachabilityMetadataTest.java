package io.urma4j.libc;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The metadata for GraalVM's native-image lists what this module links, and no other module links anything. */
class ReachabilityMetadataTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path METADATA =
            MODULE.resolve("src/main/resources/META-INF/native-image/io.urma4j/urma-native/reachability-metadata.json");

    /** The options that the module uses, as the metadata spells them. */
    private static final Map<Linker.Option, String> OPTIONS = Map.of(
            Linker.Option.captureCallState("errno"), "\"captureCallState\": true",
            Linker.Option.critical(false), "\"critical\": true",
            Linker.Option.firstVariadicArg(1), "\"firstVariadicArg\": 1",
            Linker.Option.firstVariadicArg(2), "\"firstVariadicArg\": 2",
            Linker.Option.firstVariadicArg(3), "\"firstVariadicArg\": 3");

    @Test
    void theMetadataHasTheDowncallsOfTheCode() throws Exception {
        assumeTrue(Platform.current().isPresent(), "nothing is linked on this platform");
        String downcalls = LinkRecorder.record().stream()
                .map(ReachabilityMetadataTest::json)
                .distinct()
                .sorted()
                .collect(joining(",\n"));
        String metadata = """
                {
                  "reflection": [
                    {
                      "type": "java.lang.UnsupportedOperationException",
                      "methods": [{ "name": "<init>", "parameterTypes": ["java.lang.String"] }]
                    }
                  ],
                  "foreign": {
                    "downcalls": [
                %s
                    ]
                  }
                }
                """.formatted(downcalls);

        assertThat(Files.readString(METADATA))
                .as("%s is stale; it is to be\n%s", METADATA.getFileName(), metadata)
                .isEqualTo(metadata);
    }

    @Test
    void noOtherModuleLinks() throws Exception {
        List<Path> linking = new ArrayList<>();
        for (String module : List.of("urma-core", "urma-native", "urma-shm", "urma-udma")) {
            try (Stream<Path> files = Files.walk(MODULE.resolveSibling(module).resolve("src/main/java"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String text = Files.readString(file);
                    if (text.contains("downcallHandle") || text.contains("upcallStub")) {
                        linking.add(file.getFileName());
                    }
                }
            }
        }

        assertThat(linking).containsExactly(Path.of("Linkage.java"));
        assertThat(Files.readString(MODULE.resolve("src/main/java/io/urma4j/libc/Linkage.java")))
                .doesNotContain("upcallStub");
    }

    private static String json(LinkRecorder.Downcall downcall) {
        String result = downcall.descriptor()
                .returnLayout()
                .map(ReachabilityMetadataTest::type)
                .orElse("\"void\"");
        String arguments = downcall.descriptor().argumentLayouts().stream()
                .map(ReachabilityMetadataTest::type)
                .collect(joining(", "));
        String call = "\"returnType\": " + result + ", \"parameterTypes\": [" + arguments + "]";
        String options = downcall.options().stream().map(OPTIONS::get).sorted().collect(joining(", "));
        return "      { " + call + (options.isEmpty() ? "" : ", \"options\": { " + options + " }") + " }";
    }

    private static String type(MemoryLayout layout) {
        return switch (layout) {
            case AddressLayout _ -> "\"void*\"";
            case ValueLayout.OfInt _ -> "\"jint\"";
            case ValueLayout.OfLong _ -> "\"jlong\"";
            default -> throw new IllegalArgumentException("no name in the metadata for " + layout);
        };
    }
}
