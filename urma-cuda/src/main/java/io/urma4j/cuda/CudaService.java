package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.peer.PeerMemoryClient;
import io.urma4j.peer.PeerMemoryService;
import java.util.List;

/** Brings the GPUs of this machine where a driver is installed; the setting {@code urma.cuda.library} can name it. */
public final class CudaService implements PeerMemoryService {
    /** For {@link java.util.ServiceLoader}. */
    public CudaService() {}

    @Override
    public String name() {
        return CudaClient.NAME;
    }

    /**
     * The client of all devices.
     *
     * @throws UrmaException EINVAL with the reason if no driver can be used
     */
    @Override
    public List<PeerMemoryClient> clients(UrmaOptions options) {
        return List.of(new CudaClient(FfmCudaDriver.open(options.setting(CudaLibrary.SETTING))));
    }
}
