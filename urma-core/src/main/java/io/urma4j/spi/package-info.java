/**
 * What a provider implements, and nothing else. Start with {@link io.urma4j.spi.UrmaProvider}.
 *
 * <p>Calls that may cross a network are asynchronous. Work requests and registrations name a region and an offset in
 * it, never an address. Nothing of {@code io.urma4j.internal} may enter.
 *
 * <p>A provider completes its futures on any thread, also on one that everything else waits for: what hangs on them in the
 * core does not block, and users get theirs on threads of their own.
 */
package io.urma4j.spi;
