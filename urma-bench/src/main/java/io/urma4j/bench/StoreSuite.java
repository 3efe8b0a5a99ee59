package io.urma4j.bench;

import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.compare.PeerUnavailableException;
import io.urma4j.bench.compare.Toolchain;
import io.urma4j.examples.blockstore.BlockClient;
import io.urma4j.examples.blockstore.ReadBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * READs of the block store of the examples: beside one thread that does with the same bytes what cannot be left out, and beside a stream of
 * gRPC. Servers are other processes. Server and client of the store poll; either client has eight READs at once.
 */
final class StoreSuite {
    static final int BLOCK_BYTES = 1 << 16;
    static final int BLOCKS = 256; // in the page cache

    private static final int AT_ONCE = 8;
    private static final int READS = 1024;
    private static final String PEER = "grpc";
    private static final String PEER_CLASS = "io.urma4j.peers.GrpcBlocks";

    private final Numbers.Run run;

    StoreSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("buffer-store")) {
            return;
        }
        Path folder = Files.createTempDirectory("urma-bench-");
        try (FileChannel file = plainFile(folder.resolve("plain"))) {
            besidePlainReads(folder, file);
            besideGrpc(folder);
        } finally {
            delete(folder);
        }
    }

    private void besidePlainReads(Path folder, FileChannel file) throws Exception {
        if (run.wants("buffer-store-read")) {
            try (RunningStore store = RunningStore.start("shm0", folder.resolve("read"))) {
                run.tell(Figure.speed(
                        "buffer-store-read",
                        "READ 64 KiB of a block store; one thread: read from the file, CRC32C, memcpy",
                        alternation()
                                .measure(
                                        Timed.of(storeReads(store.client()), READS), Timed.of(plainReads(file), READS)),
                        new AtLeast(0.6)));
            }
        }
    }

    private Alternation alternation() {
        return run.alternation().forLongChunks(20);
    }

    private void besideGrpc(Path folder) throws Exception {
        if (!run.wantsSomeOf("buffer-store-grpc")) {
            return;
        }
        String classPath;
        try {
            classPath = new Toolchain(Path.of(System.getProperty("urma.root")), false).jvm(PEER);
        } catch (PeerUnavailableException e) {
            System.out.println("buffer-store-grpc: not measured, since gRPC is not there: " + e.getMessage());
            run.wants("buffer-store-grpc");
            return;
        }
        String plain = folder.resolve("plain").toString();
        try (ChildProcess server = ChildProcess.start(classPath, PEER_CLASS, "server", plain);
                ChildProcess client =
                        ChildProcess.start(classPath, PEER_CLASS, "client", server.answer(), crcOfZeros())) {
            besideGrpc(folder, "shm0", "buffer-store-grpc", 3, client);
            besideGrpc(folder, "udma0", "buffer-store-grpc-udma", 1.5, client);
        }
    }

    private void besideGrpc(Path folder, String device, String name, double leastRatio, ChildProcess grpc)
            throws Exception {
        if (run.wants(name)) {
            try (RunningStore store = RunningStore.start(device, folder.resolve(name))) {
                run.tell(Figure.speed(
                        name,
                        "READ 64 KiB of the block store on " + device + "; of a file by a gRPC stream",
                        alternation()
                                .measure(
                                        Timed.of(storeReads(store.client()), READS),
                                        () -> Double.parseDouble(grpc.ask(String.valueOf(READS)))),
                        new AtLeast(leastRatio)));
            }
        }
    }

    private static String crcOfZeros() {
        CRC32C crc = new CRC32C();
        crc.update(new byte[BLOCK_BYTES]);
        return String.valueOf((int) crc.getValue());
    }

    private static Loop storeReads(BlockClient client) {
        return operations -> {
            Deque<CompletableFuture<Optional<ReadBlock>>> begun = new ArrayDeque<>();
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                if (begun.size() == AT_ONCE) {
                    sum += bytesOf(client, begun.removeFirst());
                }
                begun.addLast(client.readAsync(i % BLOCKS, BLOCK_BYTES));
            }
            while (!begun.isEmpty()) {
                sum += bytesOf(client, begun.removeFirst());
            }
            return sum;
        };
    }

    private static long bytesOf(BlockClient client, CompletableFuture<Optional<ReadBlock>> begun) {
        while (!begun.isDone()) {
            client.poll();
        }
        try (ReadBlock read = begun.join().orElseThrow()) {
            return read.bytes().byteSize();
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
