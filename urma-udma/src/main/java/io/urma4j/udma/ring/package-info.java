/**
 * The interface of driver and card, except for commands: layouts of work queue elements and completion queue elements in rings
 * of 64-byte basic blocks, in native byte order.
 */
@NullMarked
package io.urma4j.udma.ring;

import org.jspecify.annotations.NullMarked;
