package io.urma4j.tools.decode;

import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.InputFile;
import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Frame;
import io.urma4j.udma.capture.PcapReader;
import io.urma4j.udma.capture.Unread;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.IpHeaders;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.PacketCheck;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code urma decode}: one line per packet, with a check of its ICRC. */
@Command(
        name = "decode",
        description = {
            "Decode the RoCEv2 packets of a capture file: one line per packet, each ICRC verified.",
            "A summary follows: the counts of wrong ICRCs, retransmissions, refusals, and frames that were "
                    + "skipped, with the reasons.",
            "Between two urma4j peers a secret enters each ICRC. It is taken from their greeting, or from a "
                    + "later request with its answer, if the capture contains one. Otherwise an ICRC is not verifiable."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  urma decode f.pcap", "  urma decode --summary --json f.pcap", "  tcpdump -w f.pcap udp port 4791"},
        exitCodeList = {"0:all ICRCs are correct", "1:an ICRC is wrong, or the file is unreadable", "2:usage error"})
public final class DecodeCommand implements Callable<Integer> {
    private static final int MOST_PORT = 0xFFFF;

    @Parameters(paramLabel = "FILE", description = "A pcap file of Ethernet frames.")
    private Path file;

    @Option(names = "--summary", description = "Print only the summary.")
    private boolean summaryAlone;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = {
                "Decode this UDP port as RoCEv2, in addition to 4791; repeatable. A urma4j device has another "
                        + "port if 4791 is taken: see 'urma devices'."
            })
    private Set<Integer> ports = Set.of();

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        for (int port : ports) {
            if (port < 1 || port > MOST_PORT) {
                throw new ParameterException(
                        spec.commandLine(), "--port is " + port + ", and must be 1 to " + MOST_PORT);
            }
        }
        InputFile.of(file);
        Summary summary = new Summary();
        Set<Integer> all = new HashSet<>(ports);
        all.add(IpHeaders.ROCE_PORT);
        Verifier verifier = heard(all);
        try (PcapReader reader = PcapReader.open(file)) {
            decode(reader, all, verifier, summary);
        } catch (IOException e) {
            if (!summary.isEmpty()) {
                tell(summary);
            }
            throw new CommandFailure(String.valueOf(e.getMessage()), e);
        }
        tell(summary);
        return summary.isClean() ? 0 : 1;
    }

    /** A verifier that has seen the whole file: the packet that reveals a secret may follow packets that use it. */
    private Verifier heard(Set<Integer> all) {
        Verifier verifier = new Verifier();
        try (PcapReader reader = PcapReader.open(file)) {
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                Datagram datagram = Datagram.of(frame, all);
                if (datagram != null) {
                    verifier.hear(datagram);
                }
            }
        } catch (IOException e) {
            return verifier; // the next reader of the file meets the same failure, and reports it
        }
        return verifier;
    }

    private void decode(PcapReader reader, Set<Integer> all, Verifier verifier, Summary summary) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        boolean lines = !summaryAlone && !json.isAsked();
        Flows flows = new Flows();
        Fragments fragments = new Fragments();
        long startNanos = 0;
        for (Frame frame = reader.next(); frame != null && !out.checkError(); frame = reader.next()) {
            startNanos = frame.number() == 1 ? frame.timeNanos() : startNanos;
            summary.frame(frame.timeNanos() - startNanos);
            Datagram datagram = Datagram.of(frame, all);
            if (datagram == null) {
                summary.unread(Unread.of(frame, all));
                continue;
            }
            Drop drop = PacketCheck.of(datagram.packet());
            boolean isKnown = true;
            if (drop == null) {
                Verifier.Verdict verdict = verifier.verdict(datagram);
                drop = verdict == Verifier.Verdict.WRONG ? Drop.ICRC : null;
                isKnown = verdict != Verifier.Verdict.NOT_VERIFIABLE;
            }
            boolean again = drop == null && flows.isAgain(datagram);
            summary.packet(datagram, drop, isKnown, again);
            if (lines) {
                out.println(PacketLine.of(frame, startNanos, datagram, drop, isKnown, again));
            }
            Datagram carrier = drop != null
                    ? null
                    : switch (datagram.packet().opcode()) {
                        case Opcodes.BUNDLE -> datagram;
                        case Opcodes.FRAGMENT -> fragments.completed(datagram, frame.timeNanos());
                        default -> null;
                    };
            if (carrier != null) {
                unpack(carrier, flows, summary, lines);
            }
        }
    }

    /** What is in a bundle, or what fragments gave together. */
    private void unpack(Datagram carrier, Flows flows, Summary summary, boolean lines) {
        for (Datagram one : carrier.apart()) {
            boolean again = flows.isAgain(one);
            summary.bundled(one.packet(), again);
            if (lines) {
                spec.commandLine().getOut().println(PacketLine.ofBundled(one.packet(), again));
            }
        }
    }

    private void tell(Summary summary) {
        PrintWriter out = spec.commandLine().getOut();
        if (json.isAsked()) {
            Json.print(out, summary.toMap());
        } else {
            out.println(summary.toText());
        }
    }
}
