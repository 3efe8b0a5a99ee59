/**
 * Device memory that its home serves: a peer, which cannot map it, asks the home to copy between that memory and a bounce buffer that
 * both have mapped.
 */
@NullMarked
package io.urma4j.shm.bounce;

import org.jspecify.annotations.NullMarked;
