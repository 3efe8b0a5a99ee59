package io.urma4j.tools;

import io.urma4j.Access;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the access of importers to a segment: {@code r}, {@code rw} or {@code rwa}. */
final class AccessConverter implements ITypeConverter<Access> {
    @Override
    public Access convert(String text) {
        return switch (text) {
            case "r" -> Access.READ;
            case "rw" -> Access.READ_WRITE;
            case "rwa" -> Access.READ_WRITE_ATOMIC;
            default ->
                throw new TypeConversionException("'" + text
                        + "' is not an access; it is r (read), rw (read and write) or rwa (also atomic operations)");
        };
    }

    /** The text of an access; {@code -} for a segment that cannot be imported. */
    static String letters(Access access) {
        return switch (access) {
            case LOCAL_ONLY -> "-";
            case READ -> "r";
            case READ_WRITE -> "rw";
            case READ_WRITE_ATOMIC -> "rwa";
        };
    }
}
