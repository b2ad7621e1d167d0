import Glibc
import Synchronization

/// Where the connections to one configured host may lead (docs/spec/threats.md T24), for all layers that name it.
///
/// The operator may name any host, also one of a private network, but what a name resolves to is not the operator's word:
///
/// - A literal address, and `localhost`, is allowed as it is.
/// - For a name, the first connection decides. Leads it to an address that is not public, then the operator means an
///   internal host, and every address is allowed. Leads it to a public one, then a later connection to an address that is
///   not public is refused before anything is sent there: that is DNS rebinding.
/// - A redirect within the configured origin counts as the configured host. Any other may lead to public addresses only.
///
/// A layer that allows private addresses asks nothing of this, and decides nothing.
///
/// A class to share one decision, for as long as the process lives. Thread rule: any thread.
package final class HostScope: Sendable {
    private let decision: Atomic<UInt8>

    private static let undecided: UInt8 = 0
    private static let publicOnly: UInt8 = 1
    private static let anywhere: UInt8 = 2

    /// The scope of the host in `url`; what is no URL has no connections to judge.
    package init(of url: String) {
        let isLiteral = Origin(url).map { Self.isLiteral($0.host) } ?? false
        decision = Atomic(isLiteral ? Self.anywhere : Self.undecided)
    }

    /// Whether no address needs to be looked at.
    var allowsAnything: Bool { decision.load(ordering: .relaxed) == Self.anywhere }

    /// Whether a connection to an address that is not public may be tried.
    var allowsPrivate: Bool { decision.load(ordering: .relaxed) != Self.publicOnly }

    /// Takes in where a connection led; false where nothing may be sent over it.
    func connected(toPublic isPublic: Bool) -> Bool {
        let (_, known) = decision.compareExchange(
            expected: Self.undecided, desired: isPublic ? Self.publicOnly : Self.anywhere, ordering: .relaxed)
        return isPublic || known != Self.publicOnly
    }

    /// `host` as libcurl writes it: every spelling of an IPv4 address as four numbers, an IPv6 address in brackets.
    private static func isLiteral(_ host: String) -> Bool {
        var v4 = in_addr()
        return host == "localhost" || host.hasPrefix("[") || inet_pton(AF_INET, host, &v4) == 1
    }
}
