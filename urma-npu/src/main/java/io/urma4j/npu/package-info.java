/**
 * NPUs that do not exist: their memory lies at addresses that the host cannot access, on scattered pages, behind an IOMMU and
 * a copy engine with latency and bandwidth. They free, move and lose memory at the worst moment, and record what they see.
 *
 * <p>Start with {@link io.urma4j.npu.SimulatedNpus}; {@link io.urma4j.npu.NpuConfig} says how nasty it is.
 */
@org.jspecify.annotations.NullMarked
package io.urma4j.npu;
