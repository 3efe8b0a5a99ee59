/**
 * The insides of a pipe: {@code PipeLayout} draws its bytes, {@code PipeHome} and {@code PipeClaim} are what its reader and its
 * writer own, {@code PipeMemory} is how a writer reaches the bytes, the rest puts a reader to sleep and wakes it. docs/pipes.md
 * tells the protocol.
 */
package io.urma4j.internal.pipe;
