/**
 * The commands of the card: what crosses between driver and card beside the rings of {@code io.urma4j.udma.ring}. The driver
 * calls {@link io.urma4j.udma.command.CardCommands}, and the card calls {@link io.urma4j.udma.command.CardListener}. Both take
 * records, handles, numbers and memory, and no object of either side, so that the card can live in a process of its own.
 *
 * <p>This package knows neither driver nor card, and no packet.
 */
@NullMarked
package io.urma4j.udma.command;

import org.jspecify.annotations.NullMarked;
