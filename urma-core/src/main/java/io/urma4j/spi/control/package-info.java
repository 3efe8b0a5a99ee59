/**
 * The control protocol between contexts: greeting, import, revocation, paths, names, goodbye. It is one versioned protocol,
 * which each provider carries over its own transport. This package has its messages and their bytes, no socket and no thread.
 *
 * <p>Read {@link io.urma4j.spi.control.ControlMessage}, then {@link io.urma4j.spi.control.ControlCodec}. What both providers
 * do with the messages in the same way is here as well: {@link io.urma4j.spi.control.Names} and
 * {@link io.urma4j.spi.control.Inspector} ask a {@link io.urma4j.spi.control.Neighbour}. A home keeps each
 * {@link io.urma4j.spi.control.ExportedSegment} in a {@link io.urma4j.spi.control.SegmentTable}, and its names in a
 * {@link io.urma4j.spi.control.Publisher}; {@link io.urma4j.spi.control.Revocations} awaits importers.
 */
package io.urma4j.spi.control;
