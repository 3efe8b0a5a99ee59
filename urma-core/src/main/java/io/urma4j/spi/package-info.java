/**
 * The interfaces that a provider implements. Start with {@link io.urma4j.spi.UrmaProvider}.
 *
 * <p>Calls that may cross a network are asynchronous. Work requests and registrations name a memory segment and an offset in
 * it, never an address. No type of {@code io.urma4j.internal} may be used here.
 *
 * <p>A provider may complete its futures on any thread, including its engine. Dependent stages of the core do not block, and
 * the core completes users' futures on separate threads.
 */
package io.urma4j.spi;
