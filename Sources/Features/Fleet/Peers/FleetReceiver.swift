import Synchronization

/// Checks the batches of messages that clients post to this server. Only batches signed with the fleet's secret are
/// accepted.
package struct FleetReceiver: Sendable {
    /// The reason for refusing a batch.
    package enum Refusal: Error, Sendable {
        /// The batch is not signed with the fleet's secret, or its time is too old or too new.
        case unsigned
        /// Too many batches are being read at the moment, in total or from this address, or this batch is being read
        /// already.
        case full
        /// The body is no batch of this version.
        case unreadable
    }

    /// The header fields of a request that carries a batch.
    package struct Fields: Sendable {
        fileprivate let time: String
        fileprivate let signature: String
        /// The signature of the head. Nil if a node of an older version sends the batch.
        fileprivate let head: String?
        fileprivate let length: String?

        /// Returns nil unless the request has exactly one time, one signature, and at most one signature of its head.
        /// `value` returns the first value of a field, `count` the number of its values.
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

    /// Returns nil if the fleet has no secret. `open`: batches that are being read, by this receiver or another one.
    package init?(_ settings: FleetSettings, inbox: any FleetInbox, open: OpenBatches) {
        guard !settings.secret.isEmpty else { return nil }
        signature = FleetSignature(secret: settings.secret)
        (self.inbox, self.open) = (inbox, open)
    }

    /// Reserves a slot for a batch before its body is read, because only a few batches may be read at the same time.
    /// Throws if the time, the length of the signature or the signature of the head is invalid, or if no slot is free.
    /// The caller must return the slot to `open` afterwards.
    ///
    /// A batch with a signed head uses a separate group of slots, which batches without a signed head cannot fill.
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

    /// Checks the signature of a body that was read, and parses it. Returns the batch for `inbox`, and the members of
    /// the JSON answer.
    package func batch(
        _ body: [UInt8]?, _ fields: Fields?
    ) throws(Refusal) -> (batch: FleetBatch, answer: [String: String]) {
        guard let body, let fields,
            signature.isGood(
                time: fields.time.utf8, signature: fields.signature.utf8, body: body, now: inbox.date())
        else { throw .unsigned }
        guard let batch = FleetBatch(body: body) else { throw .unreadable }
        var answer = ["instance": inbox.instance, "node": inbox.name]
        // A node of an older version refuses an answer with unknown members. Such a node signs no heads.
        if fields.head != nil {
            answer["signature"] = signature.answerText(
                to: fields.signature, node: inbox.name, instance: inbox.instance)
        }
        return (batch, answer)
    }
}

/// Receives the messages of other nodes for this node.
package protocol FleetInbox: Sendable {
    /// The name of this node.
    var name: String { get }

    /// A random id of this node's process. Two nodes with the same name have different ids.
    var instance: String { get }

    /// Returns the time in seconds since 1970.
    func date() -> Int

    /// Applies the messages of `batch` that are new to this node. Returns when the messages are in force here.
    func receive(_ batch: FleetBatch) async
}

extension FleetNode: FleetInbox {
    package var name: String { options.node }

    package var instance: String { options.instance }

    package func date() -> Int { clock.wall() }

    package func receive(_ batch: FleetBatch) async { await receive(batch.messages) }
}

/// Limits the number of batches that are read at the same time. Any client can send a batch. If the head is not signed,
/// the server knows only at the end whether a node of the fleet sent the batch. Without a limit, clients could use much
/// memory. A `Place` is one slot.
///
/// This is a class because it owns the lock. Thread rule: any thread.
package final class OpenBatches: Sendable {
    /// The place of one batch.
    package struct Place: Hashable, Sendable {
        /// The signature of the batch, if its head is signed. Nil for batches from nodes of older versions and from
        /// other clients.
        let signature: [UInt8]?
        /// The prefix that all addresses of the client share.
        let address: [UInt8]
    }

    /// Maximum number of batches with signed heads.
    package static let mostSigned = 12
    /// Maximum number of batches with signed heads from one address. A machine that reads the fleet's traffic could
    /// send recorded heads again.
    package static let mostOfAddress = 8
    /// Maximum number of batches without a signed head. An address has at most one of these places.
    package static let mostUnsigned = 4

    private let places = Mutex<[Place]>([])

    package init() {}

    /// Reserves the slot `place`. Returns false if no slot of this kind is free for this address, or if the same batch
    /// is being read already.
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
