package io.urma4j.tools;

import picocli.CommandLine.Option;

/** Whether results are printed as JSON, for programs. */
public final class JsonOption {
    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean asked;

    public boolean isAsked() {
        return asked;
    }
}
