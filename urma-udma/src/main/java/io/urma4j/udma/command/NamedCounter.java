package io.urma4j.udma.command;

/**
 * A counter of the card.
 *
 * @param name for an operator, as {@code io.urma4j.TransportPath} lists them
 */
public record NamedCounter(String name, long value) {}
