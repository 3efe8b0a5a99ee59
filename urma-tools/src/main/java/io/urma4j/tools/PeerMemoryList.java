package io.urma4j.tools;

import io.urma4j.peer.PeerClient;
import io.urma4j.peer.PeerDevice;
import io.urma4j.peer.PeerMemory;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The devices with memory of their own, as {@code urma devices --memory} lists them. */
final class PeerMemoryList {
    private PeerMemoryList() {}

    /** Prints them, and why the clients of a service are missing; returns the exit code, 1 if there is no device. */
    static int print(PeerMemory memory, boolean asJson, PrintWriter out, PrintWriter err) {
        List<PeerClient> clients = memory.clients();
        if (asJson) {
            Json.print(out, asMaps(clients));
        } else if (!clients.isEmpty()) {
            table(clients).print(out);
            out.flush();
        }
        memory.absentClients()
                .forEach(
                        (service, reason) -> err.println("urma: no memory of " + service + ": " + reason.getMessage()));
        if (clients.isEmpty() && memory.absentClients().isEmpty()) {
            err.println("urma: no client of device memory is on the class path");
        }
        return clients.stream().allMatch(client -> client.devices().isEmpty()) ? 1 : 0;
    }

    private static Table table(List<PeerClient> clients) {
        Table table = new Table()
                .words("CLIENT")
                .figures("ORDINAL")
                .words("MODEL")
                .words("BUS ADDRESS")
                .figures("MEMORY")
                .words("A FREE");
        for (PeerClient client : clients) {
            for (PeerDevice device : client.devices()) {
                table.row(
                        client.name() + " " + client.version(),
                        device.ordinal(),
                        device.name(),
                        device.address().isEmpty() ? "-" : device.address(),
                        Units.bytes(device.lengthBytes()),
                        client.style().invalidates() ? "revokes registrations" : "leaves pages pinned");
            }
        }
        return table;
    }

    private static List<Map<String, Object>> asMaps(List<PeerClient> clients) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (PeerClient client : clients) {
            for (PeerDevice device : client.devices()) {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("client", client.name());
                map.put("version", client.version().toString());
                map.put("style", client.style());
                map.put("ordinal", device.ordinal());
                map.put("name", device.name());
                map.put("uuid", device.uuid());
                map.put("address", device.address());
                map.put("lengthBytes", device.lengthBytes());
                all.add(map);
            }
        }
        return all;
    }
}
