/** Packets in files: what tcpdump and Wireshark write, read to the BTH. */
@NullMarked
package io.urma4j.udma.capture;

import org.jspecify.annotations.NullMarked;
