/**
 * The insides of a message channel: {@code MessageSender} and {@code MessageReceiver} first, then reply addresses and
 * published ones. It uses the public queues alone.
 */
package io.urma4j.internal.message;
