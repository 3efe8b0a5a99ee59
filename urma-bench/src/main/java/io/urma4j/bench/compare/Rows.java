package io.urma4j.bench.compare;

import static io.urma4j.bench.compare.Reach.FOREIGN;
import static io.urma4j.bench.compare.Reach.FOREIGN_CLIENT;
import static io.urma4j.bench.compare.Reach.GRPC;
import static io.urma4j.bench.compare.Reach.MEMORY;
import static io.urma4j.bench.compare.Reach.NETTY;
import static io.urma4j.bench.compare.Reach.NETWORK;
import static io.urma4j.bench.compare.Reach.SOCKETS;
import static io.urma4j.bench.compare.Target.ahead;
import static io.urma4j.bench.compare.Target.atLeast;
import static io.urma4j.bench.compare.Target.atMost;

import java.util.ArrayList;
import java.util.List;

/** What is compared and what is asked of us, in the order of the table. */
final class Rows {
    private static final int K = 1 << 10;
    private static final int M = 1 << 20;

    private final List<Row> rows = new ArrayList<>();

    private Rows() {
        oneSided();
        messages();
        network();
        sockets();
    }

    static List<Row> all() {
        return List.copyOf(new Rows().rows);
    }

    private void oneSided() {
        quick("shm-write-8-seen", Work.WRITE_SEEN, MEMORY, 8, atMost(Names.UCX, 1), atMost(Names.RAW_MEMORY, 1.15));
        quick("shm-write-8-rate", Work.WRITE_RATE, MEMORY, 8, atLeast(Names.UCX, 3));
        quick("shm-read-8", Work.READ, MEMORY, 8, atMost(Names.UCX, 0.7));
        quick("shm-fadd", Work.FADD, MEMORY, 8, atMost(Names.UCX, 0.3), atMost(Names.OPEN_MPI, 0.3));
        quick("shm-cas", Work.CAS, MEMORY, 8, atMost(Names.UCX, 0.3), atMost(Names.OPEN_MPI, 0.3));
        quick("shm-write-4k", Work.WRITE_RATE, MEMORY, 4 * K, atLeast(Names.OPEN_MPI, 1));
        quick(
                "shm-write-64k",
                Work.WRITE_RATE,
                MEMORY,
                64 * K,
                atLeast(Names.RAW_MEMORY, 0.95),
                ahead(Names.UCX),
                ahead(Names.OPEN_MPI));
        quick(
                "shm-write-1m",
                Work.WRITE_RATE,
                MEMORY,
                M,
                atLeast(Names.RAW_MEMORY, 0.85),
                ahead(Names.UCX),
                ahead(Names.OPEN_MPI));
        full("shm-read-4k", Work.READ_RATE, MEMORY, 4 * K, Metric.MEAN);
        full("shm-read-64k", Work.READ_RATE, MEMORY, 64 * K, Metric.MEAN);
        full("shm-read-1m", Work.READ_RATE, MEMORY, M, Metric.MEAN);
    }

    private void messages() {
        for (int bytes : new int[] {64, 4 * K, 64 * K}) {
            quick(
                    "shm-stream-" + (bytes < K ? "" + bytes : bytes / K + "k"),
                    Work.SEND_RATE,
                    MEMORY,
                    bytes,
                    atLeast(Names.AERON, 2),
                    atLeast(Names.UCX, 1),
                    atLeast(Names.RAW_MEMORY, 0.95));
        }
        percentiles("shm-send-64", MEMORY, 64, atMost(Names.AERON, 1), atMost(Names.UCX, 0.5));
        full("shm-stream-64-cpu", Work.SEND_RATE, MEMORY, 64, Metric.CPU);
        full("shm-stream-4k-cpu", Work.SEND_RATE, MEMORY, 4 * K, Metric.CPU);
        full("shm-connect", Work.CONNECT, MEMORY, 64, Metric.P50);
        atOneRate("shm-rate-64", MEMORY, ahead(Names.AERON), ahead(Names.MAP_RING));
        rows.add(new Row(
                "shm-wake",
                Task.of(Work.WAKE, MEMORY, 64),
                Metric.P50,
                List.of(atMost(Names.BARE_WAKE, 2), ahead(Names.UCX_SLEEP)),
                true));
    }

    private void network() {
        // the stream comes first: its many operations warm up the code that the latency rows measure one by one
        quick("udma-stream-64", Work.SEND_RATE, NETWORK, 64, atLeast(Names.AERON, 2));
        Task message = Task.of(Work.SEND_LATENCY, NETWORK, 64);
        quick(
                "udma-send-64-p50",
                message,
                Metric.P50,
                atMost(Names.RAW_UDP, 1.3),
                atMost(Names.AERON, 1),
                ahead(Names.UCX_TCP),
                ahead(Names.LIBFABRIC),
                ahead(Names.LIBFABRIC_TCP),
                ahead(Names.NETTY));
        quick("udma-send-64-p99", message, Metric.P99, atMost(Names.AERON, 1.1));
        quick("udma-send-64-p999", message, Metric.P999);
        quick("udma-read-8", Work.READ, NETWORK, 8, atMost(Names.RAW_UDP, 1.35), ahead(Names.UCX_TCP));
        quick("udma-fadd", Work.FADD, NETWORK, 8, atMost(Names.RAW_UDP, 1.35), ahead(Names.UCX_TCP));
        for (int bytes : new int[] {64 * K, M}) {
            String size = bytes == M ? "1m" : "64k";
            quick("udma-write-" + size, Work.WRITE_RATE, NETWORK, bytes, longTransfer());
            quick("udma-read-" + size, Work.READ_RATE, NETWORK, bytes, longTransfer());
            quick("udma-stream-" + size, Work.SEND_RATE, NETWORK, bytes, longTransfer(atLeast(Names.AERON, 2)));
        }
        full("udma-stream-64-cpu", Work.SEND_RATE, NETWORK, 64, Metric.CPU, atMost(Names.AERON, 1.2));
        full("udma-stream-64k-cpu", Work.SEND_RATE, NETWORK, 64 * K, Metric.CPU, atMost(Names.AERON, 1.2));
        full("udma-connect", Work.CONNECT, NETWORK, 64, Metric.P50);
        atOneRate("udma-rate-64", NETWORK, ahead(Names.AERON), ahead(Names.NETTY), ahead(Names.SOCKPERF));
    }

    /** What programs get that know sockets alone. */
    private void sockets() {
        sockets(
                "sockets-echo-64",
                Work.SEND_LATENCY,
                SOCKETS,
                64,
                atMost(Names.URMA_PIPE, 4),
                atMost(Names.SOCKPERF_TCP, 0.2));
        sockets("sockets-wake-64", Work.WAKE, SOCKETS, 64, atMost(Names.JDK_TCP, 1.1), atMost(Names.JDK_UNIX, 1.2));
        sockets(
                "sockets-stream-64k",
                Work.SEND_RATE,
                SOCKETS,
                64 * K,
                atLeast(Names.NETTY_BEST, 1.5),
                atLeast(Names.RAW_MEMORY, 0.7),
                ahead(Names.UCX));
        sockets("sockets-connect", Work.CONNECT, SOCKETS, 64, atMost(Names.JDK_TCP, 1.5));
        sockets("sockets-foreign-connect", Work.CONNECT, FOREIGN_CLIENT, 64, atMost(Names.JDK_TCP, 1.1));
        sockets("sockets-netty-echo-64", Work.SEND_LATENCY, NETTY, 64, atMost(Names.NETTY_BEST, 0.4));
        sockets("sockets-foreign-echo-64", Work.SEND_LATENCY, FOREIGN, 64, atMost(Names.NETTY_NIO, 1.03));
        sockets("sockets-foreign-stream-64", Work.SEND_RATE, FOREIGN, 64, atLeast(Names.NETTY_NIO, 0.97));
        sockets("sockets-grpc-64", Work.SEND_LATENCY, GRPC, 64, atMost(Names.GRPC_LOCAL, 1.1), ahead(Names.GRPC_BEST));
        sockets(
                "sockets-grpc-64-many",
                Work.SEND_RATE,
                GRPC,
                64,
                atMost(Names.GRPC_LOCAL, 1.1),
                ahead(Names.GRPC_BEST));
        sockets("sockets-grpc-stream-64k", Work.SEND_RATE, GRPC, 64 * K, atLeast(Names.GRPC_BEST, 1.3));
    }

    /** By its median where single operations are timed. */
    private void sockets(String name, Work work, Reach reach, int bytes, Target... targets) {
        Metric metric = work == Work.SEND_RATE ? Metric.MEAN : Metric.P50;
        rows.add(new Row(name, Task.of(work, reach, bytes), metric, List.of(targets), false));
    }

    /** What is asked of long WRITEs, READs and messages over the network, and more. */
    private static Target[] longTransfer(Target... more) {
        List<Target> all = new ArrayList<>(
                List.of(atLeast(Names.RAW_UDP, 0.8), atLeast(Names.UCX_TCP, 1.2), atLeast(Names.LIBFABRIC, 8)));
        all.addAll(List.of(more));
        return all.toArray(new Target[0]);
    }

    /** The same task at its median and its 99 %. */
    private void percentiles(String name, Reach reach, int bytes, Target... targets) {
        Task task = Task.of(Work.SEND_LATENCY, reach, bytes);
        quick(name + "-p50", task, Metric.P50, targets);
        quick(name + "-p99", task, Metric.P99, targets);
    }

    private void quick(String name, Work work, Reach reach, int bytes, Target... targets) {
        quick(name, Task.of(work, reach, bytes), Metric.MEAN, targets);
    }

    private void quick(String name, Task task, Metric metric, Target... targets) {
        rows.add(new Row(name, task, metric, List.of(targets), true));
    }

    private void full(String name, Work work, Reach reach, int bytes, Metric metric, Target... targets) {
        rows.add(new Row(name, Task.of(work, reach, bytes), metric, List.of(targets), false));
    }

    /** The rate is found when it is measured. */
    private void atOneRate(String name, Reach reach, Target... targets) {
        Task task = new Task(Work.AT_RATE, reach, 64, Task.COMMON_RATE);
        rows.add(new Row(name + "-p99", task, Metric.P99, List.of(targets), false));
        rows.add(new Row(name + "-p999", task, Metric.P999, List.of(), false));
    }
}
