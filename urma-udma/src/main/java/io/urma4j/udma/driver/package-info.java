/**
 * The driver: what the SPI asks, turned into elements of rings, doorbells and commands of the card, and the card's
 * completion queue elements turned into records. It meets the card in the rings, in {@code
 * CardCommands} and in {@code CardListener}, and knows nothing of packets.
 */
@NullMarked
package io.urma4j.udma.driver;

import org.jspecify.annotations.NullMarked;
