/** Processes that are killed at any moment, and what must not happen to the others. Start with {@code CrashIT}. */
package io.urma4j.shm.crash;
