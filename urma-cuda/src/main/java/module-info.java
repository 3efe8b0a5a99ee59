/** Memory of NVIDIA GPUs as peer memory, by calls of the driver that is installed; nothing of CUDA is needed to compile. */
module io.urma4j.cuda {
    requires transitive io.urma4j.core;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    exports io.urma4j.cuda;

    provides io.urma4j.peer.PeerMemoryService with
            io.urma4j.cuda.CudaService;
}
