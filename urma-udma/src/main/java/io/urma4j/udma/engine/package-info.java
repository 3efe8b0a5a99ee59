/**
 * The card with its lock, in this process: {@link io.urma4j.udma.engine.EventLoop} drives it, and hands it what its UDP port
 * receives. To the driver it shows the card's commands, and nothing else of the card.
 */
@NullMarked
package io.urma4j.udma.engine;

import org.jspecify.annotations.NullMarked;
