import Configuration
import Reactor
import Synchronization

/// Counts how often a peer sent a wrong token of late: a peer that guesses has to wait.
///
/// A peer is an IPv4 address, or the 64 bits of an IPv6 address that name a network (RFC 4291 2.5.4), since one host has all of
/// the rest. Thread rule: any thread.
final class FailedTokens: Sendable {
    /// Failures that cost nothing, within `window` seconds of the first.
    static let free = 10
    static let window = 60.0
    /// Peers that are known at a time. While that many are, the next one waits from its first failure on.
    static let capacity = 1_024

    private struct Count {
        let began: MonotonicTime
        var failures = 0
    }

    private let counts = Mutex<[[UInt8]: Count]>([:])

    /// Takes note of a failure of `peer`, an address as text. Returns the seconds, at least one, that it has to wait where it
    /// failed too often.
    func add(_ peer: String, at now: MonotonicTime) -> Int? {
        let key = Self.network(of: peer)
        return counts.withLock { counts in
            if counts[key] == nil, counts.count >= Self.capacity {
                counts = counts.filter { now.seconds(since: $1.began) < Self.window }
                guard counts.count < Self.capacity else { return Int(Self.window) }
            }
            var count = counts[key] ?? Count(began: now)
            if now.seconds(since: count.began) >= Self.window { count = Count(began: now) }
            count.failures += 1
            counts[key] = count
            guard count.failures > Self.free else { return nil }
            return max(Int((Self.window - now.seconds(since: count.began)).rounded(.up)), 1)
        }
    }

    /// The bytes that all addresses of a peer share; those of the text where it is no address.
    private static func network(of peer: String) -> [UInt8] {
        // Without the zone that a link-local address has (RFC 4007 11).
        guard let address = AddressBlock(String(peer.prefix { $0 != "%" })) else { return Array(peer.utf8) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        if address.bytes.count == 16, address.bytes.starts(with: mapped) { return Array(address.bytes.dropFirst(12)) }
        return address.bytes.count == 16 ? Array(address.bytes.prefix(8)) : address.bytes
    }
}
