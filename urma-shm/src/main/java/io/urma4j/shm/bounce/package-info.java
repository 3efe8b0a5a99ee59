/**
 * Device memory that its home serves: a peer, which cannot map it, asks the home to copy between that memory and a bounce buffer that
 * both have mapped. Where the clients of both share memory between processes, the peer opens it, and its own devices copy.
 */
@NullMarked
package io.urma4j.shm.bounce;

import org.jspecify.annotations.NullMarked;
