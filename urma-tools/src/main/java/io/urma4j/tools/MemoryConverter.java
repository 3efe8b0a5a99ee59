package io.urma4j.tools;

import io.urma4j.UrmaException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code host}, or a device with memory of its own: {@code npu}, {@code npu:1}, {@code cuda:0}. */
public final class MemoryConverter implements ITypeConverter<MemoryChoice> {
    @Override
    public MemoryChoice convert(String text) {
        try {
            return MemoryChoice.parse(text);
        } catch (UrmaException e) {
            throw new TypeConversionException(
                    "'" + text + "' is no memory; write it as host, npu:0 or cuda:0, with a device of 0 to 1023");
        }
    }
}
