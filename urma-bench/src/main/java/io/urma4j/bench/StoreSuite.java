package io.urma4j.bench;

import io.urma4j.Urma;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.examples.blockstore.BlockClient;
import io.urma4j.examples.blockstore.ReadBlock;
import io.urma4j.examples.blockstore.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * READs of the block store of the examples, beside one thread that does with the same bytes what cannot be left out. The server is
 * another process, and the client has as many READs at once as the server grants credits.
 */
final class StoreSuite {
    private static final int BLOCK_BYTES = 1 << 16;
    private static final int BLOCKS = 256; // in the page cache
    private static final int READERS = 8;
    private static final int READS = 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Numbers.Run run;

    StoreSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wants("buffer-store-read")) {
            return;
        }
        Path folder = Files.createTempDirectory("urma-bench-");
        String name = "bench-" + ProcessHandle.current().pid();
        Process server = startServer(folder.resolve("blocks"), name);
        try (Urma urma = Urma.open();
                BlockClient client = BlockClient.open(urma, "shm0", name, PATIENCE);
                ExecutorService readers = Executors.newFixedThreadPool(READERS);
                FileChannel file = plainFile(folder.resolve("plain"))) {
            for (int block = 0; block < BLOCKS; block++) {
                int each = block;
                client.write(block, 1, BLOCK_BYTES, bytes -> bytes.fill((byte) each));
            }
            run.tell(Figure.speed(
                    "buffer-store-read",
                    "READ 64 KiB of a block store; one thread: read from the file, CRC32C, memcpy",
                    run.alternation()
                            .forLongChunks(20)
                            .measure(Timed.of(storeReads(client, readers), READS), Timed.of(plainReads(file), READS)),
                    new AtLeast(0.6)));
        } finally {
            server.getOutputStream().close(); // it ends with its input
            server.waitFor();
            delete(folder);
        }
    }

    private static Process startServer(Path folder, String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:-UsePerfData",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerProcess.class.getName(),
                        "--folder",
                        folder.toString(),
                        "--name",
                        name)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static Loop storeReads(BlockClient client, ExecutorService readers) {
        return operations -> {
            List<Future<Long>> parts = new ArrayList<>();
            for (int reader = 0; reader < READERS; reader++) {
                int first = reader;
                parts.add(readers.submit(() -> readSome(client, first, operations)));
            }
            long sum = 0;
            for (Future<Long> part : parts) {
                sum += result(part);
            }
            return sum;
        };
    }

    private static long readSome(BlockClient client, int first, int operations) {
        long sum = 0;
        for (int i = first; i < operations; i += READERS) {
            try (ReadBlock read = client.read(i % BLOCKS, BLOCK_BYTES).orElseThrow()) {
                sum += read.bytes().byteSize();
            }
        }
        return sum;
    }

    private static long result(Future<Long> part) {
        try {
            return part.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("a reader has failed", e);
        }
    }

    private static FileChannel plainFile(Path file) throws IOException {
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        for (int i = 0; i < BLOCKS; i++) {
            block.clear();
            while (block.hasRemaining()) {
                channel.write(block);
            }
        }
        return channel;
    }

    private static Loop plainReads(FileChannel file) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BLOCK_BYTES);
        MemorySegment from = MemorySegment.ofBuffer(bytes);
        MemorySegment to = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(BLOCK_BYTES));
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                CRC32C crc = new CRC32C();
                crc.update(read(file, i % BLOCKS, bytes.clear()));
                MemorySegment.copy(from, 0, to, 0, BLOCK_BYTES);
                sum += crc.getValue();
            }
            return sum;
        };
    }

    private static ByteBuffer read(FileChannel file, int block, ByteBuffer into) {
        try {
            while (into.hasRemaining()) {
                file.read(into, (long) block * BLOCK_BYTES + into.position());
            }
            return into.flip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
