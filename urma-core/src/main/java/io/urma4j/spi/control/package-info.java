/**
 * What contexts tell each other beside the data: greeting, import, revocation, paths, names, goodbye. One versioned
 * protocol, which each provider carries over whatever it has; here are its messages and their bytes, no socket and no
 * thread.
 *
 * <p>Read {@link io.urma4j.spi.control.ControlMessage}, then {@link io.urma4j.spi.control.ControlCodec}. What both providers
 * do with the messages in the same way is here as well: {@link io.urma4j.spi.control.Names} and
 * {@link io.urma4j.spi.control.Inspector} ask a {@link io.urma4j.spi.control.Neighbour}, and
 * {@link io.urma4j.spi.control.Revocations} awaits importers.
 */
package io.urma4j.spi.control;
