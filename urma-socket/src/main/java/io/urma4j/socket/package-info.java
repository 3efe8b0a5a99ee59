/**
 * A {@link java.nio.channels.spi.SelectorProvider} for unmodified programs. Each channel and selector that it opens wraps
 * one of the JDK, so that a later connection can move its bytes over URMA without the program's knowledge. Today all
 * connections are TCP.
 */
@NullMarked
package io.urma4j.socket;

import org.jspecify.annotations.NullMarked;
