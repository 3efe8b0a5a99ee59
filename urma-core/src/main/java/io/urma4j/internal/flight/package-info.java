/**
 * Events for the JDK's Flight Recorder: the core calls {@link io.urma4j.internal.flight.Flight}, and {@code FlightEvents}
 * defines the events. Only rare events are recorded, no successful work request.
 */
@NullMarked
package io.urma4j.internal.flight;

import org.jspecify.annotations.NullMarked;
