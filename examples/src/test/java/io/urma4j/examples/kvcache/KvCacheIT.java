package io.urma4j.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.examples.ExampleProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final List<ExampleProcess> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(ExampleProcess::close);
    }

    private ExampleProcess start(String... arguments) throws Exception {
        Map<String, String> environment = Map.of(
                "URMA_RUNTIME_DIR",
                folder.resolve("runtime").toString(),
                "URMA_CUDA_LIBRARY",
                "/nonexistent/libcuda.so.1");
        var process = new ExampleProcess(KvCache.class, folder, environment, arguments);
        started.add(process);
        return process;
    }

    @ParameterizedTest
    @CsvSource({"shm0, host", "shm0, npu", "udma0, host", "udma0, npu"})
    void everyBlockIsRight(String device, String memory) throws Exception {
        var run = start("--device", device, "--memory", memory, "--seconds", "1", "--layers", "4", "--blocks", "64");

        assertThat(run.exitCode(LIMIT)).as(run.output()).isZero();
        assertThat(run.output())
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
        var run = start("--device", device, "--memory", memory, "--seconds", "60");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> PRODUCER.matcher(run.output()).find());
        Matcher producer = PRODUCER.matcher(run.output());
        assertThat(producer.find()).isTrue();

        ProcessHandle.of(Long.parseLong(producer.group(1))).ifPresent(ProcessHandle::destroyForcibly);

        assertThat(run.exitCode(LIMIT)).as(run.output()).isEqualTo(1);
        assertThat(run.output())
                .containsPattern("run: (the producer is gone|a fetch from .* ended with|.*is gone)")
                .doesNotContain("PASSED", "wrong: ");
    }

    @Test
    void memoryThatIsAbsentIsRefusedWithItsReason() throws Exception {
        var run = start("--memory", "cuda:0");

        assertThat(run.exitCode(LIMIT)).isEqualTo(1);
        assertThat(run.output())
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
        var run = start(options.split(" ", -1));

        assertThat(run.exitCode(LIMIT)).isEqualTo(2);
        assertThat(run.output()).contains(message);
    }
}
