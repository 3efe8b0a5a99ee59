package io.urma4j.bench.compare;

import java.util.Set;

/** What the peers are called, in one place, since rows and peers must agree. */
public final class Names {
    public static final String URMA = "urma4j";
    public static final String URMA_QUEUES = "urma4j, post + poll";
    public static final String RAW_MEMORY = "raw memory (C)";
    public static final String RAW_UDP = "raw UDP (C)";
    public static final String STEPS = "steps of udma (C)";
    public static final String UCX = "UCX shm";
    public static final String UCX_TCP = "UCX tcp";
    public static final String UCX_SLEEP = "UCX shm, -E sleep";
    public static final String OPEN_MPI = "Open MPI (ob1, vader)";
    public static final String OPEN_MPI_UCX = "Open MPI (pml ucx)";
    public static final String LIBFABRIC = "libfabric udp;rxd";
    public static final String LIBFABRIC_SHM = "libfabric shm";
    public static final String LIBFABRIC_TCP = "libfabric tcp;rxm";
    public static final String SOCKPERF = "sockperf";
    public static final String IPERF = "iperf3";
    public static final String AERON = "Aeron";
    public static final String NETTY = "Netty TCP";
    public static final String GRPC = "gRPC unary";
    public static final String URMA_PIPE = "urma4j, pipe";
    public static final String JDK_TCP = "JDK, TCP";
    public static final String JDK_UNIX = "JDK, Unix-domain";
    public static final String SOCKPERF_TCP = "sockperf TCP";
    public static final String NETTY_BEST = "Netty, its best";
    public static final String NETTY_NIO = "Netty NIO";
    public static final String GRPC_BEST = "gRPC, its best";
    public static final String GRPC_LOCAL = "gRPC, LocalChannel";
    public static final String MAP_RING = "FileChannel.map ring";
    public static final String BARE_WAKE = "bare wake, unpark (C)";

    /** What C can do on this machine at the same minute. */
    static final Set<String> LIMITS = Set.of(RAW_MEMORY, RAW_UDP, STEPS, BARE_WAKE);

    private Names() {}
}
