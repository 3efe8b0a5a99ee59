/**
 * Bindings to libc: each function is bound once, in the class of its family.
 *
 * <p>Reading order: {@link io.urma4j.libc.Fd} owns a descriptor; {@link io.urma4j.libc.LibcException} and
 * {@link io.urma4j.libc.Errno} report failures; {@link io.urma4j.libc.MemFd} and {@link io.urma4j.libc.Mapping} create
 * shared memory; {@link io.urma4j.libc.UnixSocket} passes it to other processes; {@link io.urma4j.libc.EventFd} and
 * {@link io.urma4j.libc.Epoll} wake and wait; {@link io.urma4j.libc.Dir} and {@link io.urma4j.libc.Flock} manage the runtime
 * directory; {@link io.urma4j.libc.PidFd} detects the exit of a process. Below them, {@code Linkage} binds functions,
 * {@code CallFrame} captures errno, {@code Layouts} defines every struct, and {@code Platform} the supported platforms.
 *
 * <p>A private method named after a libc function returns the kernel's result, or {@code -errno}. The public method that
 * calls it returns a value, or throws a {@code LibcException} if the result is a failure.
 *
 * <p>Not allowed here: knowledge of URMA, threads, logging, and memory addresses in a public signature (except
 * {@link io.urma4j.libc.Mapping#mapAt}).
 */
@NullMarked
package io.urma4j.libc;

import org.jspecify.annotations.NullMarked;
