/**
 * {@code urma admin} and {@code urma perf}: inspect running processes. {@link io.urma4j.tools.admin.Sight} queries them,
 * {@link io.urma4j.tools.admin.ResourceTables} prints the answers under URMA's column names; each command has a class.
 */
@NullMarked
package io.urma4j.tools.admin;

import org.jspecify.annotations.NullMarked;
