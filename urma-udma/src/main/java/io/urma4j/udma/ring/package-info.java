/**
 * What driver and card share beside the commands of {@code io.urma4j.udma.command}: layouts of work queue elements and
 * completion queue elements in rings of 64-byte basic blocks. Everything is in the byte order of this machine.
 */
@NullMarked
package io.urma4j.udma.ring;

import org.jspecify.annotations.NullMarked;
