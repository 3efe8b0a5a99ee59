/**
 * The driver: it turns calls of the SPI into ring elements, doorbells and commands of the card, and the card's completion
 * queue elements into records. It shares only the rings with the card, and does not know packets.
 */
@NullMarked
package io.urma4j.udma.driver;

import org.jspecify.annotations.NullMarked;
