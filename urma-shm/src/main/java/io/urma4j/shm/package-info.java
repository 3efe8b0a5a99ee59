/** Remote memory between processes of one host: the caller's thread is the DMA engine. */
@NullMarked
package io.urma4j.shm;

import org.jspecify.annotations.NullMarked;
