/**
 * What a context shows of itself: its resources ({@code Inventory}), its events, and how long its steps take
 * ({@code PerfMeter}). Nothing here changes an object, except that measuring puts a measuring queue before a provider's.
 */
package io.urma4j.internal.inspect;
