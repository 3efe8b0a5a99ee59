/**
 * The driver: what the SPI asks, turned into elements of rings, doorbells and commands of the card, and the card's
 * completion queue elements turned into records. It meets the card in the rings, in {@code
 * CardCommands} and in {@code CardListener}, and knows nothing of packets.
 *
 * <p>Start with {@link io.urma4j.udma.driver.UdmaContext}. Its parts get a {@code LocalContext} (identity, device, events) and
 * the {@code Peers}: {@code Queues}, {@code Exports} and {@code Imports}. A {@code UdmaSendQueue} writes a
 * {@code SendRing}, and its {@code SendRecords} read what completes.
 */
@NullMarked
package io.urma4j.udma.driver;

import org.jspecify.annotations.NullMarked;
