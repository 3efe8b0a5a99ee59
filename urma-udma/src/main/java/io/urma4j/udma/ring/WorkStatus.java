package io.urma4j.udma.ring;

/** How a work request ended: the numbers of URMA's completion statuses (SEMANTICS §2), where no type of the API is known. */
public final class WorkStatus {
    public static final int SUCCESS = 0;
    public static final int UNSUPPORTED_OPCODE_ERR = 1;
    public static final int LOC_LEN_ERR = 2;
    public static final int LOC_OPERATION_ERR = 3;
    public static final int LOC_ACCESS_ERR = 4;
    public static final int REM_RESP_LEN_ERR = 5;
    public static final int REM_UNSUPPORTED_REQ_ERR = 6;
    public static final int REM_OPERATION_ERR = 7;
    public static final int REM_ACCESS_ABORT_ERR = 8;
    public static final int ACK_TIMEOUT_ERR = 9;
    public static final int RNR_RETRY_CNT_EXC_ERR = 10;
    public static final int WR_FLUSH_ERR = 11;
    public static final int WR_SUSPEND_DONE = 12;
    public static final int WR_FLUSH_ERR_DONE = 13;
    public static final int WR_UNHANDLED = 14;

    private WorkStatus() {}
}
