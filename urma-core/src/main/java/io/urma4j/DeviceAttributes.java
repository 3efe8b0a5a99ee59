package io.urma4j;

import java.util.List;
import java.util.Set;

/**
 * What a device can do, what is set, and what changes by itself (SEMANTICS §3). Whatever an application may depend on
 * is here: it need not guess.
 *
 * @param name for example {@code shm0}
 * @param provider kind of device: {@code shm}, {@code udma}, …
 * @param ioPath how bytes travel and why this way was chosen, in words
 */
public record DeviceAttributes(
        String name, String provider, Capabilities capabilities, Limits limits, List<Port> ports, String ioPath) {

    public DeviceAttributes {
        ports = List.copyOf(ports);
    }

    /**
     * What the device can do.
     *
     * @param immediateBits width of immediates that reach the peer
     * @param tearFreeBytes naturally aligned transfers of up to so many bytes do not tear (S8.10)
     * @param oneSided no code of the home process runs for reads, writes and atomics
     * @param mappable segments can be mapped for plain loads and stores
     * @param foreignShareable memory that this library did not allocate can be shared
     * @param sharedTokenIds several segments can have one token id (S7.4)
     * @param windows a home can give importers windows of a segment without a round trip (S7.10)
     * @param cpuAtomics atomics are atomic against the CPU's own, too (S8.7)
     */
    public record Capabilities(
            Set<TransportMode> modes,
            Set<Opcode> opcodes,
            Set<TokenPolicy> tokenPolicies,
            int immediateBits,
            int tearFreeBytes,
            boolean oneSided,
            boolean mappable,
            boolean foreignShareable,
            boolean sharedTokenIds,
            boolean windows,
            boolean cpuAtomics) {

        public Capabilities {
            modes = Set.copyOf(modes);
            opcodes = Set.copyOf(opcodes);
            tokenPolicies = Set.copyOf(tokenPolicies);
        }
    }

    /** Largest values that configurations and work requests may have. */
    public record Limits(
            int jfcDepth,
            int jfsDepth,
            int jfrDepth,
            int sges,
            int inlineBytes,
            long messageBytes,
            long readWriteBytes,
            long segmentBytes,
            int jettiesPerContext) {}

    /** Most bytes of a datagram: the smallest MTU of its ports (S5.1). */
    public long mtuBytes() {
        return ports.stream().mapToLong(Port::mtuBytes).min().orElse(0);
    }

    /**
     * A way out of the device.
     *
     * @param mtuBytes largest piece that travels as one
     */
    public record Port(int number, boolean active, long mtuBytes) {}
}
