/**
 * {@code urma admin} and {@code urma perf}: look into running processes. {@link io.urma4j.tools.admin.Sight} asks them,
 * {@link io.urma4j.tools.admin.ResourceTables} prints what they answer under URMA's column names; a class per command.
 */
@NullMarked
package io.urma4j.tools.admin;

import org.jspecify.annotations.NullMarked;
