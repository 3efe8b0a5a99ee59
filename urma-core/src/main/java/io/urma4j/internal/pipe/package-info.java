/**
 * The insides of a pipe: {@code PipeLayout} draws its bytes, {@code PipeMemory} is how a writer reaches them, the rest puts
 * a reader to sleep and wakes it. docs/pipes.md tells the protocol.
 */
package io.urma4j.internal.pipe;
