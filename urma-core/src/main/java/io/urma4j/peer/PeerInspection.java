package io.urma4j.peer;

import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a registry tells to processes that look into this one. It calls no client, so that a driver that does not answer delays no
 * inspection. Safe for any thread.
 */
final class PeerInspection {
    /** Registrations that are shown, the first by number; a client's row has the count of all. */
    private static final int MAX_REGIONS = 1024;

    private PeerInspection() {}

    /** Resources of a kind; empty for a kind that is not of device memory. */
    static List<Resource> resources(Kind kind, List<ClientEntry> clients) {
        return switch (kind) {
            case PEER_CLIENT -> clients(clients);
            case PEER_DEVICE -> devices(clients);
            case PEER_REGION -> regions(clients);
            default -> List.of();
        };
    }

    private static List<Resource> clients(List<ClientEntry> clients) {
        List<Resource> rows = new ArrayList<>();
        for (ClientEntry client : clients) {
            rows.add(client(rows.size(), client));
        }
        return rows;
    }

    private static Resource client(int number, ClientEntry client) {
        List<PeerRegion> regions = client.regions();
        PeerCounters counters = client.stats().read();
        return Resource.builder(Kind.PEER_CLIENT, number)
                .add("client", client.name())
                .add("version", client.version())
                .add("style", client.style())
                .add("device_cnt", client.devices().size())
                .add("region_cnt", regions.size())
                .add(
                        "copies",
                        regions.stream().mapToInt(PeerRegion::copiesInFlight).sum())
                .add("lent_cnt", client.guarded().lent().size())
                .add("quarantined_bytes", client.guarded().quarantinedBytes())
                .add("num_alloc_mrs", counters.allocated()) // seven names of Linux, then ours
                .add("num_dealloc_mrs", counters.deallocated())
                .add("num_reg_pages", counters.registeredPages())
                .add("num_dereg_pages", counters.deregisteredPages())
                .add("num_reg_bytes", counters.registeredBytes())
                .add("num_dereg_bytes", counters.deregisteredBytes())
                .add("num_free_callbacks", counters.freeCallbacks())
                .add("unknown_tickets", counters.unknownTickets())
                .add("failures", counters.failures())
                .add("repins", counters.repins())
                .add("late_fences", counters.lateFences())
                .build();
    }

    private static List<Resource> devices(List<ClientEntry> clients) {
        List<Resource> rows = new ArrayList<>();
        for (ClientEntry client : clients) {
            for (PeerDevice device : client.devices()) {
                rows.add(Resource.builder(Kind.PEER_DEVICE, rows.size())
                        .add("client", client.name())
                        .add("ordinal", device.ordinal())
                        .add("model", device.name())
                        .add("bus", device.address())
                        .add("len", device.lengthBytes())
                        .build());
            }
        }
        return rows;
    }

    private static List<Resource> regions(List<ClientEntry> clients) {
        return clients.stream()
                .flatMap(client -> client.regions().stream())
                .sorted(Comparator.comparingLong(PeerRegion::number))
                .limit(MAX_REGIONS)
                .map(PeerInspection::region)
                .toList();
    }

    private static Resource region(PeerRegion region) {
        return Resource.builder(Kind.PEER_REGION, region.number())
                .add("client", region.client())
                .add("ordinal", region.identity().ordinal())
                .add("state", region.stateText())
                .add("va", "0x" + Long.toHexString(region.range().address()))
                .add("len", region.range().lengthBytes())
                .add("copies", region.copiesInFlight())
                .add("holder", region.holder())
                .build();
    }
}
