package io.urma4j.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Map;

/** Prints results for programs: maps, collections, strings, numbers, truth values. */
public final class Json {
    private Json() {}

    /** Prints {@code value}, indented, with a line end. */
    public static void print(PrintWriter out, Object value) {
        try (JsonGenerator generator =
                new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            generator.useDefaultPrettyPrinter();
            write(generator, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println();
        out.flush();
    }

    /** Prints {@code value} in one line, for streams. */
    public static void printLine(PrintWriter out, Object value) {
        try (JsonGenerator generator =
                new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            write(generator, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println();
        out.flush();
    }

    private static void write(JsonGenerator generator, Object value) throws IOException {
        switch (value) {
            case Map<?, ?> map -> {
                generator.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    generator.writeFieldName(String.valueOf(entry.getKey()));
                    write(generator, entry.getValue());
                }
                generator.writeEndObject();
            }
            case Iterable<?> items -> {
                generator.writeStartArray();
                for (Object item : items) {
                    write(generator, item);
                }
                generator.writeEndArray();
            }
            case Boolean truth -> generator.writeBoolean(truth);
            case Integer number -> generator.writeNumber(number);
            case Long number -> generator.writeNumber(number);
            case Double number -> generator.writeNumber(number);
            default -> generator.writeString(value.toString());
        }
    }
}
