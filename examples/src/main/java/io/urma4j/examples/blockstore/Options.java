package io.urma4j.examples.blockstore;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** The options of a command line: {@code --name value}, each once. */
public final class Options {
    private final Map<String, String> values;

    private Options(Map<String, String> values) {
        this.values = values;
    }

    /** An option is unknown, stands twice, or has a value outside of its limits; the message names it. */
    public static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** For one of the options, or for their combination. */
        public UsageException(String message) {
            super(message);
        }
    }

    /** Parses a line that may have these options. */
    public static Options parse(String[] line, String... known) {
        Collection<String> names = new TreeSet<>(Arrays.asList(known));
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < line.length; i += 2) {
            String name = line[i];
            if (!names.contains(name)) {
                throw new UsageException(name + " is no option; there are " + String.join(", ", names));
            }
            if (i + 1 == line.length) {
                throw new UsageException(name + " needs a value");
            }
            if (values.put(name, line[i + 1]) != null) {
                throw new UsageException(name + " stands twice");
            }
        }
        return new Options(values);
    }

    /** A text that must be there. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null || value.isEmpty()) {
            throw new UsageException(name + " is missing");
        }
        return value;
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** One of some texts; the first of them if the option is absent. */
    public String choice(String name, String... texts) {
        String value = text(name, texts[0]);
        if (!Arrays.asList(texts).contains(value)) {
            throw new UsageException(name + " is '" + value + "', must be one of " + String.join(", ", texts));
        }
        return value;
    }

    /** A whole number between two limits. */
    public long number(String name, long otherwise, long least, long most) {
        String value = values.get(name);
        if (value == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw outside(name, value, least + "…" + most);
        }
        throw outside(name, value, least + "…" + most);
    }

    /** A number with a fraction, above 0. */
    public double fraction(String name, double otherwise, double most) {
        String value = values.get(name);
        if (value == null) {
            return otherwise;
        }
        try {
            double number = Double.parseDouble(value);
            if (number > 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw outside(name, value, "0…" + most);
        }
        throw outside(name, value, "0…" + most);
    }

    private static UsageException outside(String name, String value, String range) {
        return new UsageException(name + " is '" + value + "', must be a number in " + range);
    }
}
