/**
 * Bindings to libc, small and complete: each function is bound once, in the class of its family.
 *
 * <p>Reading order: {@link io.urma4j.libc.Fd} owns a descriptor; {@link io.urma4j.libc.LibcException} and
 * {@link io.urma4j.libc.Errno} tell what went wrong; {@link io.urma4j.libc.MemFd} and {@link io.urma4j.libc.Mapping}
 * make memory that processes share; {@link io.urma4j.libc.UnixSocket} hands it over;
 * {@link io.urma4j.libc.EventFd} and {@link io.urma4j.libc.Epoll} wake and wait; {@link io.urma4j.libc.Dir} and
 * {@link io.urma4j.libc.Flock} keep the runtime directory; {@link io.urma4j.libc.PidFd} tells that a process is gone.
 * Beneath them {@code Linkage} binds, {@code CallFrame} lends a call the room for errno, {@code Layouts} knows the
 * bytes of every struct and {@code Platform} where all this holds.
 *
 * <p>A private method named after a libc function answers as the kernel does: the result, or {@code -errno}. The
 * public method above it turns that into a value, where it is no failure, or into a {@code LibcException}.
 *
 * <p>What may not enter: knowledge of URMA, threads, logging, and memory addresses in a public signature (but for
 * {@link io.urma4j.libc.Mapping#mapAt}).
 */
@NullMarked
package io.urma4j.libc;

import org.jspecify.annotations.NullMarked;
