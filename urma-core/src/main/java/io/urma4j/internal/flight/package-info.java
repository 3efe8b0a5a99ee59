/**
 * What the JDK's Flight Recorder hears of the library: {@link io.urma4j.internal.flight.Flight} is what the core calls,
 * {@code FlightEvents} is what is recorded. Rare things alone: nothing of a work request that goes well is here.
 */
package io.urma4j.internal.flight;
