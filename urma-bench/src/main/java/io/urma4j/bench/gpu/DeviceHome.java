package io.urma4j.bench.gpu;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.bench.ChildProcess;
import io.urma4j.bench.ParentWatch;
import io.urma4j.cuda.CudaClient;
import io.urma4j.peer.DeviceMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The home of device memory in a process of its own: says the segment's line, answers each line, a length, with the checksum of
 * that much of the memory, and ends with its standard input.
 */
final class DeviceHome {
    /** How importers reach the memory. */
    enum Way {
        /** The importer opens it by IPC. */
        OPENED,

        /** The home serves it: an isolated segment is never opened. */
        SERVED
    }

    private DeviceHome() {}

    /** Starts it. */
    static ChildProcess start(PartRun run, Way way, long lengthBytes) throws IOException {
        List<String> program =
                new ArrayList<>(List.of(DeviceHome.class.getName(), way.name(), Long.toString(lengthBytes)));
        run.library().ifPresent(program::add);
        return ChildProcess.start(System.getProperty("java.class.path"), program.toArray(String[]::new));
    }

    /** Asks the home for the checksum of the first bytes of its memory. */
    static long checksum(ChildProcess home, long lengthBytes) throws IOException {
        home.say(Long.toString(lengthBytes));
        return Long.parseLong(home.hear());
    }

    static long checksum(MemorySegment bytes) {
        CRC32C crc = new CRC32C();
        ByteBuffer buffer = bytes.asByteBuffer();
        crc.update(buffer);
        return crc.getValue();
    }

    /** The arguments are those of {@link #start}. */
    public static void main(String[] arguments) throws Exception {
        ParentWatch.endWithParent();
        long lengthBytes = Long.parseLong(arguments[1]);
        SegmentConfig config = SegmentConfig.of(Access.READ_WRITE);
        UrmaOptions options = arguments.length == 2
                ? UrmaOptions.DEFAULT
                : UrmaOptions.DEFAULT.withSetting(PartRun.LIBRARY_SETTING, arguments[2]);
        try (Urma urma = Urma.open(options);
                DeviceMemory memory = urma.peerMemory().allocate(CudaClient.NAME, PartRun.ORDINAL, lengthBytes);
                UrmaContext context = urma.device("shm0").openContext();
                LocalSegment segment = context.register(
                        memory, Way.valueOf(arguments[0]) == Way.SERVED ? config.withIsolation() : config)) {
            memory.fill(0, lengthBytes, (byte) 1);
            System.out.println(segment.share());
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(checksum(memory, Long.parseLong(line)));
            }
        }
    }

    private static long checksum(DeviceMemory memory, long lengthBytes) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(lengthBytes, 4096);
            memory.copyTo(0, host);
            return checksum(host);
        }
    }
}
