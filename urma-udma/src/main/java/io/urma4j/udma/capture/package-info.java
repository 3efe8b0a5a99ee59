/** Capture files as tcpdump and Wireshark write them: read up to the BTH, and written. */
@NullMarked
package io.urma4j.udma.capture;

import org.jspecify.annotations.NullMarked;
