package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.PeerMemoryClient;
import io.urma4j.peer.PeerMemoryService;
import java.util.List;

/** Brings simulated NPUs where the setting {@code urma.npu} asks for them. */
public final class NpuService implements PeerMemoryService {
    static final String SETTING = "urma.npu";

    /** For {@link java.util.ServiceLoader}. */
    public NpuService() {}

    @Override
    public String name() {
        return SimulatedNpus.NAME;
    }

    @Override
    public List<PeerMemoryClient> clients(UrmaOptions options) {
        String setting = options.setting(SETTING)
                .orElseThrow(() -> new UrmaException(
                        UrmaStatus.EINVAL,
                        "simulated NPU",
                        "not asked for: set URMA_NPU=2 or urma.npu=2,profile=ascend"));
        return List.of(new SimulatedNpus(NpuConfig.parse(setting)));
    }
}
