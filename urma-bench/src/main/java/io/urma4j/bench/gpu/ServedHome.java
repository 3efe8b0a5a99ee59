package io.urma4j.bench.gpu;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.bench.ParentWatch;
import io.urma4j.cuda.CudaClient;
import io.urma4j.peer.DeviceMemory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** The home of device memory in a process of its own: says the segment's line, and ends with its standard input. */
final class ServedHome {
    private ServedHome() {}

    /** The argument, if any, is the driver's library. */
    public static void main(String[] arguments) throws Exception {
        ParentWatch.endWithParent();
        UrmaOptions options = arguments.length == 0
                ? UrmaOptions.DEFAULT
                : UrmaOptions.DEFAULT.withSetting(PartRun.LIBRARY_SETTING, arguments[0]);
        try (Urma urma = Urma.open(options);
                DeviceMemory memory =
                        urma.peerMemory().allocate(CudaClient.NAME, PartRun.ORDINAL, Copies.FOOTPRINT_BYTES);
                UrmaContext context = urma.device("shm0").openContext();
                LocalSegment segment = context.register(memory, SegmentConfig.of(Access.READ_WRITE))) {
            memory.fill(0, Copies.FOOTPRINT_BYTES, (byte) 1);
            System.out.println(segment.share());
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (in.readLine() != null) {
                // until the parent closes it
            }
        }
    }
}
