package io.urma4j.tck;

import org.junit.jupiter.api.Nested;

/**
 * The conformance suite: each contract once, on one device. A provider's test module has two subclasses, one
 * {@link InOneProcess} and one {@link AcrossProcesses}; each names its device, and nothing else.
 *
 * <p>The contracts are written out, since JUnit finds a nested class by its declaration alone. A test compares them with
 * {@link RuleIndex#CONTRACTS}.
 */
public abstract class Conformance {
    private final String deviceUnderTest;

    /** The suite on the device of this name. */
    protected Conformance(String deviceUnderTest) {
        this.deviceUnderTest = deviceUnderTest;
    }

    @Nested
    class Identities extends IdentitiesContract {
        Identities() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Devices extends DevicesContract {
        Devices() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Lifecycle extends LifecycleContract {
        Lifecycle() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Jetties extends JettiesContract {
        Jetties() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Notifier extends NotifierContract {
        Notifier() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Datagrams extends DatagramsContract {
        Datagrams() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Groups extends GroupsContract {
        Groups() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class States extends StatesContract {
        States() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Suspension extends SuspensionContract {
        Suspension() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Quiescence extends QuiescenceContract {
        Quiescence() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class ErrorScope extends ErrorScopeContract {
        ErrorScope() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Segments extends SegmentsContract {
        Segments() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Tokens extends TokensContract {
        Tokens() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class SeveralContexts extends SeveralContextsContract {
        SeveralContexts() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Linearizability extends LinearizabilityContract {
        Linearizability() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Revocation extends RevocationContract {
        Revocation() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Mapping extends MappingContract {
        Mapping() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Windows extends WindowsContract {
        Windows() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class WindowsOnly extends WindowsOnlyContract {
        WindowsOnly() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class WindowPosts extends WindowPostsContract {
        WindowPosts() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Regions extends RegionsContract {
        Regions() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class WorkRequests extends WorkRequestsContract {
        WorkRequests() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Posting extends PostingContract {
        Posting() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Completions extends CompletionsContract {
        Completions() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Events extends EventsContract {
        Events() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class OwnJfc extends OwnJfcContract {
        OwnJfc() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Signals extends SignalsContract {
        Signals() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class NotReady extends NotReadyContract {
        NotReady() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Soak extends SoakContract {
        Soak() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Lives extends LivesContract {
        Lives() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Users extends UsersContract {
        Users() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Memory extends RemoteMemoryContract {
        Memory() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Messages extends MessageChannelContract {
        Messages() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Pipes extends PipesContract {
        Pipes() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class PipeEnds extends PipeEndsContract {
        PipeEnds() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class SleepingPipes extends SleepingPipesContract {
        SleepingPipes() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Buffers extends BuffersContract {
        Buffers() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Pools extends PoolsContract {
        Pools() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class RegistrationCaches extends RegistrationCacheContract {
        RegistrationCaches() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class PoolWaiters extends PoolWaitersContract {
        PoolWaiters() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Exports extends ExportsContract {
        Exports() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class ExportEnds extends ExportEndsContract {
        ExportEnds() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class Transfers extends TransfersContract {
        Transfers() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class TransferQueues extends TransferQueuesContract {
        TransferQueues() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class DeviceRanges extends DeviceRangesContract {
        DeviceRanges() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class DeviceEvents extends DeviceEventsContract {
        DeviceEvents() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class DeviceSegments extends DeviceSegmentsContract {
        DeviceSegments() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class DeviceSegmentEnds extends DeviceSegmentEndsContract {
        DeviceSegmentEnds() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class CopiesInProgress extends CopiesInProgressContract {
        CopiesInProgress() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class LongReads extends LongReadsContract {
        LongReads() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class GivenUpCopies extends GivenUpCopiesContract {
        GivenUpCopies() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class OpenedSegments extends OpenedSegmentsContract {
        OpenedSegments() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class PreparedTransfer extends PreparedTransferContract {
        PreparedTransfer() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class TransferNotices extends TransferNoticesContract {
        TransferNotices() {
            super(deviceUnderTest);
        }
    }

    @Nested
    class PreparedTransferEnds extends PreparedTransferEndsContract {
        PreparedTransferEnds() {
            super(deviceUnderTest);
        }
    }
}
