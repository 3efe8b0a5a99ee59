/**
 * The driver: what the SPI asks, turned into elements of rings, doorbells and commands of the card, and the card's
 * completion queue elements turned into records. It shares memory with the card and nothing else, and knows nothing of
 * packets.
 */
@NullMarked
package io.urma4j.udma.driver;

import org.jspecify.annotations.NullMarked;
