package io.urma4j.udma.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.capture.PcapReader;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What one RC queue pair of Linux asked another, and what was answered, out of a capture. */
final class Conversation {
    /** A packet with its number in the file. */
    record Line(long frame, boolean isRequest, Packet packet) {
        int psn() {
            return Bth.psn(packet.bytes());
        }
    }

    final String name;
    final int queue;
    final List<Line> lines = new ArrayList<>();

    private Conversation(String name, int queue) {
        this.name = name;
        this.queue = queue;
    }

    /** All of a file. Both ends of each have the same number there, which tells which answers belong to which requests. */
    static List<Conversation> in(String file) throws IOException, URISyntaxException {
        Path path = Path.of(Objects.requireNonNull(Conversation.class.getResource("/golden/" + file))
                .toURI());
        Map<String, Conversation> found = new LinkedHashMap<>();
        try (PcapReader reader = PcapReader.open(path)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                Datagram datagram = Datagram.of(frame, Set.of(4791));
                if (datagram != null && Opcodes.transport(datagram.packet().opcode()) == Opcodes.RC) {
                    add(found, frame.number(), datagram);
                }
            }
        }
        return List.copyOf(found.values());
    }

    private static void add(Map<String, Conversation> found, long frame, Datagram datagram) {
        Packet packet = datagram.packet();
        int queue = Bth.destinationQp(packet.bytes());
        boolean isRequest = !Opcodes.isResponse(packet.opcode());
        String asking = (isRequest ? datagram.source() : datagram.destination()).getHostAddress();
        String name = asking + " from QP 0x" + Integer.toHexString(queue);
        found.computeIfAbsent(name, fresh -> new Conversation(fresh, queue))
                .lines
                .add(new Line(frame, isRequest, packet));
    }

    List<Line> requests() {
        return lines.stream().filter(Line::isRequest).toList();
    }

    List<Line> answers() {
        return lines.stream().filter(line -> !line.isRequest()).toList();
    }

    boolean hasReads() {
        return requests().stream()
                .anyMatch(line -> Opcodes.operation(line.packet().opcode()) == Opcodes.READ_REQUEST);
    }

    /** The PSN that the requests begin with, whichever of them the capture shows first. */
    int firstPsn() {
        return firstPsn(requests());
    }

    static int firstPsn(List<Line> requests) {
        return requests.stream()
                .mapToInt(Line::psn)
                .reduce((a, b) -> (a - b) << 8 > 0 ? b : a)
                .orElseThrow();
    }

    /** From the BTH to the padding: everything but the ICRC, which covers addresses. */
    static String bytes(Packet packet) {
        byte[] all = packet.bytes()
                .segment()
                .asSlice(0, packet.lengthBytes() - Icrc.BYTES)
                .toArray(JAVA_BYTE);
        return Opcodes.name(packet.opcode()) + " " + HexFormat.of().formatHex(all);
    }

    @Override
    public String toString() {
        return name;
    }
}
