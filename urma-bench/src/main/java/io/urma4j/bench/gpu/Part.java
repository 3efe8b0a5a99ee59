package io.urma4j.bench.gpu;

/** What {@code urma-bench/gpu} can run. A new part is a class, two lines here, and its sentence in the help of {@link Gpu}. */
@SuppressWarnings("MemberName") // as users write them
enum Part {
    contract,
    copy,
    served,
    ipc,
    kv;

    /**
     * Runs it, and reports what it finds; a failure that it reports does not end it.
     *
     * @throws SkippedException if it cannot run here
     * @throws Exception if it cannot go on, which counts as a failure
     */
    void run(PartRun run) throws Exception {
        switch (this) {
            case contract -> ContractPart.run(run);
            case copy -> CopyPart.run(run);
            case served -> ServedPart.run(run);
            case ipc -> IpcPart.run(run);
            case kv -> KvPart.run(run);
        }
    }
}
