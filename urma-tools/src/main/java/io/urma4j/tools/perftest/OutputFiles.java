package io.urma4j.tools.perftest;

import io.urma4j.tools.OutputFile;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The output files, opened before anything is measured, so that a missing permission is reported at once. */
final class OutputFiles implements AutoCloseable {
    private @Nullable OutputFile csv;
    private @Nullable OutputFile plot;

    private OutputFiles() {}

    static OutputFiles open(OutputOptions options) throws IOException {
        OutputFiles files = new OutputFiles();
        try {
            files.csv = options.csv() == null ? null : OutputFile.create(options.csv());
            files.plot = options.plot() == null ? null : OutputFile.create(options.plot());
            return files;
        } catch (IOException | RuntimeException e) {
            files.close();
            throw e;
        }
    }

    /** Writes the rows, where a file for them is given. */
    void writeCsv(String text) throws IOException {
        write(csv, text);
    }

    /** Writes the plot, where a file for it is given. */
    void writePlot(String text) throws IOException {
        write(plot, text);
    }

    private static void write(@Nullable OutputFile file, String text) throws IOException {
        if (file != null) {
            file.write(text);
            file.commit();
        }
    }

    /** Files that were not written are removed. */
    @Override
    public void close() throws IOException {
        if (csv != null) {
            csv.close();
        }
        if (plot != null) {
            plot.close();
        }
    }
}
