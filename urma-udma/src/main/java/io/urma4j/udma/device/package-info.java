/**
 * The card: send and receive queues, completion queues, keys and connections, as a NIC has them in hardware. The card
 * receives commands, doorbells, packets and the time, and returns packets, completion queue elements, a few events and its
 * next deadline. This package has no socket, no thread and no clock, and no type of the API but the state of a queue.
 *
 * <p>Start with {@link io.urma4j.udma.device.Card}; then {@link io.urma4j.udma.device.SendQueue}, {@link
 * io.urma4j.udma.device.Receiver}, {@link io.urma4j.udma.device.KeyTable}.
 *
 * <p>Nothing here is safe for several threads: its owner guards the card by one lock. Driver and card share the memory of
 * the rings, and talk by the commands and events of {@code io.urma4j.udma.command}.
 */
@NullMarked
package io.urma4j.udma.device;

import org.jspecify.annotations.NullMarked;
