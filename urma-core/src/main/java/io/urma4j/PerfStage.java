package io.urma4j;

/** The stages that are measured in a context. */
enum PerfStage {
    /** The posting call; on a device whose posting thread does the work, it includes the work. */
    POST_WRITE("post write"),
    POST_READ("post read"),
    POST_ATOMIC("post atomic"),
    POST_SEND("post send"),
    /** From the start of the post until its record has been polled. */
    EXECUTE_WRITE("execute write"),
    EXECUTE_READ("execute read"),
    EXECUTE_ATOMIC("execute atomic"),
    EXECUTE_SEND("execute send"),
    /** A poll that returned records. */
    COMPLETE("complete"),
    REGISTER("register segment"),
    UNREGISTER("unregister segment"),
    IMPORT_SEGMENT("import segment"),
    IMPORT_QUEUE("import jetty"),
    LOOKUP("lookup name"),
    CREATE_JFC("create jfc"),
    CREATE_JFR("create jfr"),
    CREATE_SEND_QUEUE("create jfs"),
    BIND("bind jetty");

    private final String words;

    PerfStage(String words) {
        this.words = words;
    }

    /** The call that posts a work request of that opcode. */
    static PerfStage ofPost(Opcode opcode) {
        return switch (opcode) {
            case WRITE, WRITE_IMM, WRITE_NOTIFY, NOP -> POST_WRITE;
            case READ -> POST_READ;
            case CAS, SWAP, FADD, FSUB, FAND, FOR, FXOR -> POST_ATOMIC;
            case SEND, SEND_IMM, SEND_INVALIDATE -> POST_SEND;
        };
    }

    /** The whole execution of a work request that is posted in that stage. */
    static PerfStage executionOf(PerfStage post) {
        return switch (post) {
            case POST_READ -> EXECUTE_READ;
            case POST_ATOMIC -> EXECUTE_ATOMIC;
            case POST_SEND -> EXECUTE_SEND;
            default -> EXECUTE_WRITE;
        };
    }

    @Override
    public String toString() {
        return words;
    }
}
