import Synchronization

/// Places for letters that are being read. Any client can send a letter, and the server knows only at the letter's end whether a
/// server of the fleet wrote it.
///
/// A class to own the lock. Thread rule: any thread.
package final class OpenLetters: Sendable {
    /// The place of one letter.
    package struct Place: Hashable, Sendable {
        /// The signature of the letter, if its head is signed. Nil for letters of servers of an older version, and of other clients.
        let signature: [UInt8]?
        /// The bytes that all addresses of the client share.
        let address: [UInt8]

        package init(signature: [UInt8]?, address: [UInt8]) {
            (self.signature, self.address) = (signature, address)
        }
    }

    /// Maximum number of letters with signed heads.
    package static let mostSigned = 12
    /// Maximum number of letters with signed heads from one address. A machine that reads the fleet's letters on the wire can send
    /// their heads again.
    package static let mostOfAddress = 8
    /// Maximum number of letters without a signed head. Each address has one at most.
    package static let mostUnsigned = 4

    private let places = Mutex<[Place]>([])

    package init() {}

    /// Takes `place`. Returns false if no place of its kind is left, or if the same letter is being read.
    package func begin(_ place: Place) -> Bool {
        places.withLock { places in
            guard !places.contains(place) else { return false }
            let others = places.filter { ($0.signature == nil) == (place.signature == nil) }
            if let signature = place.signature {
                guard others.count < Self.mostSigned, !others.contains(where: { $0.signature == signature }),
                    others.count(where: { $0.address == place.address }) < Self.mostOfAddress
                else { return false }
            } else {
                guard others.count < Self.mostUnsigned else { return false }
            }
            places.append(place)
            return true
        }
    }

    /// Gives `place` back.
    package func end(_ place: Place) {
        places.withLock { places in
            if let index = places.firstIndex(of: place) { places.remove(at: index) }
        }
    }
}
