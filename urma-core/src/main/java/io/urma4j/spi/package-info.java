/**
 * What a provider implements, and nothing else. Start with {@link io.urma4j.spi.UrmaProvider}.
 *
 * <p>Calls that may cross a network are asynchronous. Work requests and registrations name a region and an offset in
 * it, never an address. Nothing of {@code io.urma4j.internal} may enter.
 */
package io.urma4j.spi;
