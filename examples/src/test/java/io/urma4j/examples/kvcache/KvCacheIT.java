package io.urma4j.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cache with both processes, like {@code examples/kvcache/run} starts it. */
class KvCacheIT {
    private static final Pattern PRODUCER = Pattern.compile("The producer is process (\\d+)\n");

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Process start(String... arguments) throws Exception {
        Path classes = Path.of(KvCache.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("urma.jar") + File.pathSeparator + classes,
                KvCache.class.getName()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("URMA_RUNTIME_DIR", folder.resolve("runtime").toString());
        builder.environment().put("URMA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String output() throws Exception {
        return Files.readString(folder.resolve("output"));
    }

    private int exitCode(Process process) throws Exception {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output()).isTrue();
        return process.exitValue();
    }

    @ParameterizedTest
    @CsvSource({"shm0, host", "shm0, npu", "udma0, host", "udma0, npu"})
    void everyBlockIsRight(String device, String memory) throws Exception {
        Process run =
                start("--device", device, "--memory", memory, "--seconds", "1", "--layers", "4", "--blocks", "64");

        assertThat(exitCode(run)).as(output()).isZero();
        assertThat(output())
                .containsPattern("blocks fetched +[1-9]\\d+\n")
                .containsPattern("wrong blocks +0\n")
                .containsPattern("fetch of 32 blocks, p50 +\\d+\\.\\d µs\n")
                .endsWith("PASSED\n");
        try (var left = Files.walk(folder.resolve("runtime"))) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"shm0, host", "shm0, npu", "udma0, host", "udma0, npu"})
    void killedProducerIsNamed(String device, String memory) throws Exception {
        Process run = start("--device", device, "--memory", memory, "--seconds", "60");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> PRODUCER.matcher(output()).find());
        Matcher producer = PRODUCER.matcher(output());
        assertThat(producer.find()).isTrue();

        ProcessHandle.of(Long.parseLong(producer.group(1))).ifPresent(ProcessHandle::destroyForcibly);

        assertThat(exitCode(run)).as(output()).isEqualTo(1);
        assertThat(output())
                .containsPattern("run: (the producer is gone|a fetch from .* ended with|.*is gone)")
                .doesNotContain("PASSED", "wrong: ");
    }

    @Test
    void memoryThatIsAbsentIsRefusedWithItsReason() throws Exception {
        assertThat(exitCode(start("--memory", "cuda:0"))).isEqualTo(1);
        assertThat(output())
                .contains("producer: ", "client cuda does not work here")
                .contains("run: the producer (process ", ") ended before its cache was open");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --layer 3              | run: --layer is no option; there are --block-size, --blocks, --device
        --seconds soon         | run: --seconds is 'soon', must be a number in 0…86400
        --blocks 1             | run: --blocks is '1', must be a number in 2…65536
        --block-size 12        | run: --block-size is '12', must be a multiple of 8
        --memory npu:          | run: --memory is 'npu:', must be host, npu:N or cuda:N
        --device ?             | run: --device is '?', must be a device
        --layers 128 --blocks 65536 | run: --layers, --blocks and --block-size make 137438953472 bytes, must be at most
        """)
    void wrongOptionIsNamed(String options, String message) throws Exception {
        assertThat(exitCode(start(options.split(" ", -1)))).isEqualTo(2);
        assertThat(output()).contains(message);
    }
}
