package io.urma4j.udma.driver;

import io.urma4j.tck.AcrossProcesses;
import io.urma4j.tck.ClosingContract;
import io.urma4j.tck.CompletionsContract;
import io.urma4j.tck.DatagramsContract;
import io.urma4j.tck.DevicesContract;
import io.urma4j.tck.EventsContract;
import io.urma4j.tck.GroupsContract;
import io.urma4j.tck.IdentitiesContract;
import io.urma4j.tck.JettiesContract;
import io.urma4j.tck.LifecycleContract;
import io.urma4j.tck.LinearizabilityContract;
import io.urma4j.tck.LivesContract;
import io.urma4j.tck.MappingContract;
import io.urma4j.tck.NotReadyContract;
import io.urma4j.tck.NotifierContract;
import io.urma4j.tck.OutagesContract;
import io.urma4j.tck.OwnJfcContract;
import io.urma4j.tck.PostingContract;
import io.urma4j.tck.RegionsContract;
import io.urma4j.tck.RevocationContract;
import io.urma4j.tck.SegmentsContract;
import io.urma4j.tck.SignalsContract;
import io.urma4j.tck.SoakContract;
import io.urma4j.tck.StatesContract;
import io.urma4j.tck.TokensContract;
import io.urma4j.tck.UsersContract;
import io.urma4j.tck.WindowsContract;
import io.urma4j.tck.WorkRequestsContract;
import org.junit.jupiter.api.Nested;

/** The contracts on the network device between two processes. */
class UdmaConformanceIT {
    private static final String DEVICE = "udma0";

    @Nested
    @AcrossProcesses
    class Identities extends IdentitiesContract {
        Identities() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Devices extends DevicesContract {
        Devices() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Lifecycle extends LifecycleContract {
        Lifecycle() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Closing extends ClosingContract {
        Closing() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Jetties extends JettiesContract {
        Jetties() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Notifier extends NotifierContract {
        Notifier() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class States extends StatesContract {
        States() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Outages extends OutagesContract {
        Outages() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Datagrams extends DatagramsContract {
        Datagrams() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Groups extends GroupsContract {
        Groups() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Signals extends SignalsContract {
        Signals() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class OwnJfc extends OwnJfcContract {
        OwnJfc() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Segments extends SegmentsContract {
        Segments() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Tokens extends TokensContract {
        Tokens() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Revocation extends RevocationContract {
        Revocation() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Mapping extends MappingContract {
        Mapping() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Linearizability extends LinearizabilityContract {
        Linearizability() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Windows extends WindowsContract {
        Windows() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Regions extends RegionsContract {
        Regions() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class WorkRequests extends WorkRequestsContract {
        WorkRequests() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Posting extends PostingContract {
        Posting() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Completions extends CompletionsContract {
        Completions() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Events extends EventsContract {
        Events() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class NotReady extends NotReadyContract {
        NotReady() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Soak extends SoakContract {
        Soak() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Lives extends LivesContract {
        Lives() {
            super(DEVICE);
        }
    }

    @Nested
    @AcrossProcesses
    class Users extends UsersContract {
        Users() {
            super(DEVICE);
        }
    }
}
