package io.urma4j.tools.doctor;

import io.urma4j.tools.Json;
import io.urma4j.tools.JsonOption;
import io.urma4j.tools.doctor.Finding.Mark;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code urma doctor}: what was found, what was chosen and why, what would be faster. */
@Command(
        name = "doctor",
        description = "Check this machine: what was found, what was selected and why, what would be faster and how to "
                + "enable it. Fails if a feature is unusable.",
        footerHeading = "%nExamples:%n",
        footer = {"  urma doctor", "  urma doctor --json | jq '.[] | select(.mark != \"OK\")'"})
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<Finding> machine = new ArrayList<>(new MachineExamination().findings());
        machine.addAll(new MemoryExamination().findings());
        machine.addAll(new PlacesExamination(System.getenv()).findings());
        machine.addAll(new PeerMemoryExamination().findings());
        List<Finding> devices = new DeviceExamination().findings();
        List<Finding> all = new ArrayList<>(machine);
        all.addAll(devices);
        if (json.isAsked()) {
            Json.print(out, all.stream().map(Finding::asMap).toList());
        } else {
            print(out, "Found", machine);
            print(out, "Chosen", devices);
            printAdvice(out, all);
        }
        return conclude(all);
    }

    private static void print(PrintWriter out, String heading, List<Finding> findings) {
        out.println(heading);
        int width = findings.stream()
                .mapToInt(finding -> finding.name().length())
                .max()
                .orElse(1);
        for (Finding finding : findings) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %-4s  %-" + width + "s  %s",
                    finding.mark().name().toLowerCase(Locale.ROOT),
                    finding.name(),
                    finding.found()));
        }
        out.println();
        out.flush();
    }

    private static void printAdvice(PrintWriter out, List<Finding> findings) {
        List<Finding> advised =
                findings.stream().filter(finding -> !finding.advice().isEmpty()).toList();
        if (advised.isEmpty()) {
            out.println("Nothing to mend, and nothing that would be faster.");
        } else {
            out.println("To mend, or faster");
            for (Finding finding : advised) {
                out.println("  " + finding.name() + ": " + finding.advice());
            }
        }
        out.flush();
    }

    private int conclude(List<Finding> findings) {
        List<String> failed = findings.stream()
                .filter(finding -> finding.mark() == Mark.FAIL)
                .map(Finding::name)
                .toList();
        if (failed.isEmpty()) {
            return 0;
        }
        PrintWriter err = spec.commandLine().getErr();
        err.println("urma: unusable: " + String.join(", ", failed));
        err.flush();
        return 1;
    }
}
