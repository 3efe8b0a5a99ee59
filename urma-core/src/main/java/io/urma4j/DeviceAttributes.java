package io.urma4j;

import java.util.List;
import java.util.Set;

/**
 * What a device supports, its settings, and its current state (SEMANTICS §3). It includes everything that an application
 * may depend on.
 *
 * @param name for example {@code shm0}
 * @param provider kind of device: {@code shm}, {@code udma}, …
 * @param ioPath how bytes travel, and why this path was chosen, as text
 */
public record DeviceAttributes(
        String name, String provider, Capabilities capabilities, Limits limits, List<Port> ports, String ioPath) {

    public DeviceAttributes {
        ports = List.copyOf(ports);
    }

    /**
     * Capabilities of a device.
     *
     * @param immediateBits width of immediates that reach the peer
     * @param tearFreeBytes naturally aligned transfers of up to this size do not tear (S8.10)
     * @param oneSided reads, writes and atomics run no code of the home process
     * @param mappable segments can be mapped for plain loads and stores
     * @param foreignShareable memory that this library did not allocate can be shared
     * @param sharedTokenIds several segments can have one token id (S7.4)
     * @param windows a home can grant importers windows of a segment without a round trip (S7.10)
     * @param cpuAtomics atomics are also atomic against the CPU's own (S8.7)
     * @param deviceMemory memory of GPUs and NPUs can be registered (S15)
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
            boolean cpuAtomics,
            boolean deviceMemory) {

        public Capabilities {
            modes = Set.copyOf(modes);
            opcodes = Set.copyOf(opcodes);
            tokenPolicies = Set.copyOf(tokenPolicies);
        }

        /** A builder that starts without any capability. */
        public static Builder builder() {
            return new Builder();
        }

        /** Collects the capabilities of a device. */
        public static final class Builder {
            private Set<TransportMode> modes = Set.of();
            private Set<Opcode> opcodes = Set.of();
            private Set<TokenPolicy> tokenPolicies = Set.of();
            private int immediateBits;
            private int tearFreeBytes;
            private boolean oneSided;
            private boolean mappable;
            private boolean foreignShareable;
            private boolean sharedTokenIds;
            private boolean windows;
            private boolean cpuAtomics;
            private boolean deviceMemory;

            private Builder() {}

            public Builder modes(Set<TransportMode> modes) {
                this.modes = modes;
                return this;
            }

            public Builder opcodes(Set<Opcode> opcodes) {
                this.opcodes = opcodes;
                return this;
            }

            public Builder tokenPolicies(Set<TokenPolicy> tokenPolicies) {
                this.tokenPolicies = tokenPolicies;
                return this;
            }

            public Builder immediateBits(int immediateBits) {
                this.immediateBits = immediateBits;
                return this;
            }

            public Builder tearFreeBytes(int tearFreeBytes) {
                this.tearFreeBytes = tearFreeBytes;
                return this;
            }

            public Builder oneSided(boolean oneSided) {
                this.oneSided = oneSided;
                return this;
            }

            public Builder mappable(boolean mappable) {
                this.mappable = mappable;
                return this;
            }

            public Builder foreignShareable(boolean foreignShareable) {
                this.foreignShareable = foreignShareable;
                return this;
            }

            public Builder sharedTokenIds(boolean sharedTokenIds) {
                this.sharedTokenIds = sharedTokenIds;
                return this;
            }

            public Builder windows(boolean windows) {
                this.windows = windows;
                return this;
            }

            public Builder cpuAtomics(boolean cpuAtomics) {
                this.cpuAtomics = cpuAtomics;
                return this;
            }

            public Builder deviceMemory(boolean deviceMemory) {
                this.deviceMemory = deviceMemory;
                return this;
            }

            public Capabilities build() {
                return new Capabilities(
                        modes,
                        opcodes,
                        tokenPolicies,
                        immediateBits,
                        tearFreeBytes,
                        oneSided,
                        mappable,
                        foreignShareable,
                        sharedTokenIds,
                        windows,
                        cpuAtomics,
                        deviceMemory);
            }
        }
    }

    /**
     * Maximum values of configurations and work requests.
     *
     * @param rnrTimerMicros the longest {@link JfrConfig#minRnrTimer} of a receive queue (S12.1)
     */
    public record Limits(
            int jfcDepth,
            int jfsDepth,
            int jfrDepth,
            int sges,
            int inlineBytes,
            long messageBytes,
            long readWriteBytes,
            long segmentBytes,
            int jettiesPerContext,
            long rnrTimerMicros) {}

    /** Maximum bytes of a datagram: the smallest MTU of the device's ports (S5.1). */
    public long mtuBytes() {
        return ports.stream().mapToLong(Port::mtuBytes).min().orElse(0);
    }

    /**
     * A network port of the device.
     *
     * @param mtuBytes maximum payload of a datagram; peers may agree on longer packets for connections
     */
    public record Port(int number, boolean active, long mtuBytes) {}
}
