package io.urma4j.udma.driver;

import io.urma4j.tck.ClosingContract;
import io.urma4j.tck.CompletionsContract;
import io.urma4j.tck.DatagramsContract;
import io.urma4j.tck.DevicesContract;
import io.urma4j.tck.EventsContract;
import io.urma4j.tck.GroupsContract;
import io.urma4j.tck.IdentitiesContract;
import io.urma4j.tck.InOneProcess;
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

/** The contracts on the network device: within one context, between contexts, between libraries of one process. */
class UdmaConformanceTest {
    private static final String DEVICE = "udma0";

    @Nested
    @InOneProcess
    class Identities extends IdentitiesContract {
        Identities() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Devices extends DevicesContract {
        Devices() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Lifecycle extends LifecycleContract {
        Lifecycle() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Closing extends ClosingContract {
        Closing() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Jetties extends JettiesContract {
        Jetties() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Notifier extends NotifierContract {
        Notifier() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class States extends StatesContract {
        States() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Outages extends OutagesContract {
        Outages() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Datagrams extends DatagramsContract {
        Datagrams() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Groups extends GroupsContract {
        Groups() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Signals extends SignalsContract {
        Signals() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class OwnJfc extends OwnJfcContract {
        OwnJfc() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Segments extends SegmentsContract {
        Segments() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Tokens extends TokensContract {
        Tokens() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Revocation extends RevocationContract {
        Revocation() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Mapping extends MappingContract {
        Mapping() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Linearizability extends LinearizabilityContract {
        Linearizability() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Windows extends WindowsContract {
        Windows() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Regions extends RegionsContract {
        Regions() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class WorkRequests extends WorkRequestsContract {
        WorkRequests() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Posting extends PostingContract {
        Posting() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Completions extends CompletionsContract {
        Completions() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Events extends EventsContract {
        Events() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class NotReady extends NotReadyContract {
        NotReady() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Soak extends SoakContract {
        Soak() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Lives extends LivesContract {
        Lives() {
            super(DEVICE);
        }
    }

    @Nested
    @InOneProcess
    class Users extends UsersContract {
        Users() {
            super(DEVICE);
        }
    }
}
