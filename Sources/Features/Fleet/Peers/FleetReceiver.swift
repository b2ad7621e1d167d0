import Synchronization

/// Judges batches that are posted to this server, by the fields of their requests. A client without the fleet's secret learns nothing.
package struct FleetReceiver: Sendable {
    /// Why a batch is refused.
    package enum Refusal: Error, Sendable {
        /// It is not signed with the fleet's secret, or at another time.
        case unsigned
        /// Too many batches are being read.
        case full
        /// It is no batch of this version.
        case unreadable
    }

    /// The fields of a request with a batch.
    package struct Fields: Sendable {
        fileprivate let time: String
        fileprivate let signature: String
        /// The signature of the head. Nil if a server of an older version sends the batch.
        fileprivate let head: String?
        fileprivate let length: String?

        /// `value`: the first value of a field; `count`: the number of its values. Nil if the batch has no time and signature, or several.
        package init?(_ value: (StaticString) -> String?, count: (StaticString) -> Int) {
            guard count(FleetSignature.timeField) == 1, let time = value(FleetSignature.timeField),
                count(FleetSignature.field) == 1, let signature = value(FleetSignature.field),
                count(FleetSignature.headField) <= 1
            else { return nil }
            (self.time, self.signature) = (time, signature)
            (head, length) = (value(FleetSignature.headField), value("content-length"))
        }
    }

    package let inbox: any FleetInbox
    package let open: OpenBatches
    private let signature: FleetSignature

    /// Nil where the fleet's servers have no secret. `open`: batches that are being read, by this receiver or another.
    package init?(_ settings: FleetSettings, inbox: any FleetInbox, open: OpenBatches) {
        guard !settings.secret.isEmpty else { return nil }
        signature = FleetSignature(secret: settings.secret)
        (self.inbox, self.open) = (inbox, open)
    }

    /// Takes a place for a batch before it is read, which is to be given back to `open`. A few batches are read at a time, and none
    /// without a time of now and a signature. Batches with signed heads have places of their own, which batches of unknown senders cannot
    /// take.
    package func begin(_ fields: Fields?, from address: [UInt8]) throws(Refusal) -> OpenBatches.Place {
        guard let fields,
            FleetSignature.mayBeGood(time: fields.time.utf8, signature: fields.signature.utf8, now: inbox.date())
        else { throw .unsigned }
        if let head = fields.head {
            guard let length = fields.length,
                signature.isGoodHead(
                    head.utf8, time: fields.time.utf8, length: length.utf8, signature: fields.signature.utf8)
            else { throw .unsigned }
        }
        let place = OpenBatches.Place(
            signature: fields.head == nil ? nil : Array(fields.signature.utf8), address: address)
        guard open.begin(place) else { throw .full }
        return place
    }

    /// The batch that was read, for `inbox`, and the members of the answer.
    package func batch(
        _ body: [UInt8]?, _ fields: Fields?
    ) throws(Refusal) -> (batch: FleetBatch, answer: [String: String]) {
        guard let body, let fields,
            signature.isGood(
                time: fields.time.utf8, signature: fields.signature.utf8, body: body, now: inbox.date())
        else { throw .unsigned }
        guard let batch = FleetBatch(body: body) else { throw .unreadable }
        var answer = ["instance": inbox.instance, "node": inbox.name]
        // A server of an older version refuses an answer with a member that it does not know. It signs no heads.
        if fields.head != nil {
            answer["signature"] = signature.answerText(
                to: fields.signature, node: inbox.name, instance: inbox.instance)
        }
        return (batch, answer)
    }
}

/// Applies messages of other servers of the fleet.
package protocol FleetInbox: Sendable {
    /// The name of this server.
    var name: String { get }

    /// Tells its process from all others, whatever they are called.
    var instance: String { get }

    /// Seconds since 1970.
    func date() -> Int

    /// Applies what is new in `batch`; returns when it is in force here.
    func receive(_ batch: FleetBatch) async
}

extension FleetNode: FleetInbox {
    package var name: String { options.node }

    package var instance: String { options.instance }

    package func date() -> Int { clock.wall() }

    package func receive(_ batch: FleetBatch) async { await receive(batch.messages) }
}

/// Places for batches that are being read. Any client can send a batch, and the server knows only at the batch's end whether a
/// server of the fleet wrote it.
///
/// A class to own the lock. Thread rule: any thread.
package final class OpenBatches: Sendable {
    /// The place of one batch.
    package struct Place: Hashable, Sendable {
        /// The signature of the batch, if its head is signed. Nil for batches of servers of an older version, and of other clients.
        let signature: [UInt8]?
        /// The bytes that all addresses of the client share.
        let address: [UInt8]
    }

    /// Maximum number of batches with signed heads.
    package static let mostSigned = 12
    /// Maximum number of batches with signed heads from one address. A machine that reads the fleet's batches on the wire can send
    /// their heads again.
    package static let mostOfAddress = 8
    /// Maximum number of batches without a signed head. Each address has one at most.
    package static let mostUnsigned = 4

    private let places = Mutex<[Place]>([])

    package init() {}

    /// Takes `place`. Returns false if no place of its kind is left, or if the same batch is being read.
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
