package io.urma4j.tools;

import io.urma4j.DeviceAttributes;
import io.urma4j.DeviceAttributes.Capabilities;
import io.urma4j.DeviceAttributes.Limits;
import io.urma4j.Opcode;
import io.urma4j.Urma;
import io.urma4j.UrmaDevice;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code urma devices}: the devices of this machine, with their capabilities. */
@Command(
        name = "devices",
        description = "List the devices of this machine and their capabilities.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  urma devices",
            "  urma devices --json | jq '.[].limits'",
            "  URMA_NPU=2,profile=ascend urma devices --memory"
        })
final class DevicesCommand implements Callable<Integer> {
    @Mixin
    private JsonOption json;

    @Option(
            names = "--memory",
            description =
                    "List the devices with memory of their own instead: GPUs and NPUs, by the clients that own it.")
    private boolean memory;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Urma urma = Urma.open()) {
            if (memory) {
                return PeerMemoryList.print(
                        urma.peerMemory(),
                        json.isAsked(),
                        out,
                        spec.commandLine().getErr());
            }
            if (json.isAsked()) {
                Json.print(
                        out, urma.devices().stream().map(DevicesCommand::asMap).toList());
            } else {
                print(urma, out);
            }
            urma.absentProviders()
                    .forEach((provider, reason) -> spec.commandLine()
                            .getErr()
                            .println("urma: provider " + provider + " does not work here: " + reason.getMessage()
                                    + " (see 'urma doctor')"));
            return urma.devices().isEmpty() ? 1 : 0;
        }
    }

    private static void print(Urma urma, PrintWriter out) {
        Table table = new Table().words("DEVICE").words("EID").words("MODES").words("ONE-SIDED");
        table.words("ATOMICS")
                .words("MAPPING")
                .figures("INLINE")
                .figures("MESSAGE")
                .figures("SEGMENT");
        for (UrmaDevice device : urma.devices()) {
            Capabilities can = device.attributes().capabilities();
            Limits limits = device.attributes().limits();
            table.row(
                    device.name(),
                    device.eids().getFirst(),
                    names(can.modes(), ","),
                    can.oneSided() ? "yes" : "served",
                    atomics(can).size() + " of 7" + (can.cpuAtomics() ? ", CPU too" : ""),
                    can.mappable() ? "yes" : "no",
                    most(limits.inlineBytes()),
                    most(limits.messageBytes()),
                    most(limits.segmentBytes()));
        }
        table.print(out);
        for (UrmaDevice device : urma.devices()) {
            out.println();
            out.println(broken(device.name() + ": " + device.attributes().ioPath()));
        }
        out.flush();
    }

    /** The text on one line, or a line for each of its parts where the terminal is narrower. */
    private static String broken(String text) {
        return text.length() <= Terminal.columns() ? text : text.replace("; ", ";\n  ");
    }

    /** Limits are often one byte less than a round number, and that byte matters. */
    private static String most(long bytes) {
        boolean oneLess = bytes > 1024 && Long.bitCount(bytes + 1) == 1;
        return oneLess ? Units.bytes(bytes + 1) + " - 1" : Units.bytes(bytes);
    }

    private static List<Opcode> atomics(Capabilities can) {
        return can.opcodes().stream()
                .filter(opcode -> opcode.kind() == Opcode.Kind.ATOMIC)
                .sorted()
                .toList();
    }

    private static String names(Collection<? extends Enum<?>> values, String separator) {
        return values.stream().sorted().map(Enum::name).collect(Collectors.joining(separator));
    }

    private static Map<String, Object> asMap(UrmaDevice device) {
        DeviceAttributes attributes = device.attributes();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", attributes.name());
        map.put("provider", attributes.provider());
        map.put("eids", device.eids());
        map.put("capabilities", asMap(attributes.capabilities()));
        map.put("limits", asMap(attributes.limits()));
        List<Object> ports = new ArrayList<>();
        for (DeviceAttributes.Port port : attributes.ports()) {
            ports.add(asMap(port));
        }
        map.put("ports", ports);
        map.put("ioPath", attributes.ioPath());
        return map;
    }

    private static Map<String, Object> asMap(DeviceAttributes.Port port) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("number", port.number());
        map.put("active", port.active());
        map.put("mtuBytes", port.mtuBytes());
        return map;
    }

    private static Map<String, Object> asMap(Capabilities can) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("modes", can.modes().stream().sorted().toList());
        map.put("opcodes", can.opcodes().stream().sorted().toList());
        map.put("tokenPolicies", can.tokenPolicies().stream().sorted().toList());
        map.put("immediateBits", can.immediateBits());
        map.put("tearFreeBytes", can.tearFreeBytes());
        map.put("oneSided", can.oneSided());
        map.put("mappable", can.mappable());
        map.put("foreignShareable", can.foreignShareable());
        map.put("sharedTokenIds", can.sharedTokenIds());
        map.put("windows", can.windows());
        map.put("cpuAtomics", can.cpuAtomics());
        map.put("deviceMemory", can.deviceMemory());
        return map;
    }

    private static Map<String, Object> asMap(Limits limits) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("jfcDepth", limits.jfcDepth());
        map.put("jfsDepth", limits.jfsDepth());
        map.put("jfrDepth", limits.jfrDepth());
        map.put("sges", limits.sges());
        map.put("inlineBytes", limits.inlineBytes());
        map.put("messageBytes", limits.messageBytes());
        map.put("readWriteBytes", limits.readWriteBytes());
        map.put("segmentBytes", limits.segmentBytes());
        map.put("jettiesPerContext", limits.jettiesPerContext());
        map.put("rnrTimerMicros", limits.rnrTimerMicros());
        return map;
    }
}
