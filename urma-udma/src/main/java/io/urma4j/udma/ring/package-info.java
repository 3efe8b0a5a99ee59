/**
 * What driver and card have in common, and all that they have in common but commands: layouts of work queue elements and
 * completion queue elements in rings of 64-byte basic blocks. Everything is in the byte order of this machine.
 */
@NullMarked
package io.urma4j.udma.ring;

import org.jspecify.annotations.NullMarked;
