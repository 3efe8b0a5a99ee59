/**
 * Device memory for the card: copies between registrations and fragments of host memory that the devices' drivers have pinned. The
 * card decides which bytes move when; this package has the threads, the clock and the copy engines.
 */
@NullMarked
package io.urma4j.udma.staging;

import org.jspecify.annotations.NullMarked;
