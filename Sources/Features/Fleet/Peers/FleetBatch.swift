import Bytes
import CLibcrypto
import HTTPClient
import JSON

/// Messages that one node sends to another node in the body of an HTTP request. The batch also has the name of its
/// sender.
package struct FleetBatch: Sendable, Equatable {
    /// The name of the node that sends the batch.
    package let node: String
    package let messages: [FleetMessage]

    /// Maximum size of a body in bytes.
    package static let longest = 1 << 20
    /// Maximum number of messages in a batch.
    package static let mostMessages = 512

    package init(node: String, messages: [FleetMessage]) {
        self.node = node
        self.messages = messages
    }

    /// Splits `messages` into batches, because a batch has a maximum size. Returns at least one batch, which may be
    /// empty.
    package static func all(of messages: [FleetMessage], from node: String) -> [FleetBatch] {
        var batches: [FleetBatch] = []
        var (next, size) = ([FleetMessage](), 0)
        for message in messages {
            let more = message.fields.reduce(16) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
            if !next.isEmpty, size + more > longest / 2 || next.count == mostMessages {
                batches.append(FleetBatch(node: node, messages: next))
                (next, size) = ([], 0)
            }
            next.append(message)
            size += more
        }
        return batches + [FleetBatch(node: node, messages: next)]
    }

    /// The body: `{"node":"a","messages":[{"kind":"clear",…},…]}`.
    package var body: [UInt8] {
        // No value contains a character that needs escaping.
        let messages = messages.map { message in
            let fields = message.fields + (message.id.map { [("id", "\($0)")] } ?? [])
            return "{\(fields.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ","))}"
        }
        return Array("{\"node\":\"\(node)\",\"messages\":[\(messages.joined(separator: ","))]}".utf8)
    }

    /// Parses the body of a request. Returns nil if `body` is not a batch. Also returns nil if a message has an unknown
    /// member, or a member that is no text. Skips other messages that are invalid in this version, for example those of
    /// an unknown kind.
    package init?(body: [UInt8]) {
        do {
            let batch = try JSONText(body, depth: 4).value.object(["node", "messages"])
            node = try batch.required("node").string()
            guard FleetMessage.isName(node, atMost: 64) else { return nil }
            messages = try batch.required("messages").elements(atMost: Self.mostMessages).compactMap { message in
                guard message.kind == .object else { return nil }
                return try Self.message(message)
            }
        } catch {
            return nil
        }
    }

    private static func message(_ value: JSONValue) throws(JSONError) -> FleetMessage? {
        let names = ["kind", "layer", "node", "name", "generation", "previous", "soft", "area"]
        let object = try value.object(names + ["id"])
        var fields: [(name: String, value: String)] = []
        for name in names {
            if let value = object[name] { fields.append((name, try value.string())) }
        }
        return FleetMessage(
            fields: fields, id: try object["id"].flatMap { value throws(JSONError) in StreamID(try value.string()) })
    }
}

/// Signs texts, and checks that a text comes from a node of the fleet. A signature is an HMAC-SHA-256 (RFC 2104) with
/// the secret that all nodes share.
///
/// A node signs a batch, the head of a batch (its time, length and signature), and its answer to a batch. Each kind of
/// text begins in a different way, so a signature of one kind is never valid for another kind. A batch begins with
/// digits, the other two with different words.
package struct FleetSignature: Sendable {
    private let secret: [UInt8]

    /// The names of the header fields with the time in seconds since 1970 and the batch's signature.
    package static let timeField: StaticString = "x-fleet-time"
    package static let field: StaticString = "x-fleet-signature"
    /// The name of the header field with the head's signature. Nodes of older versions do not send it.
    package static let headField: StaticString = "x-fleet-head-signature"
    /// The path to which batches are posted.
    package static let path = "/fleet/messages"
    /// Maximum difference in seconds between the time of a batch and the receiver's clock.
    package static let tolerance = 30
    private static let prefix = Array("sha256=".utf8)

    /// `secret`: 16 bytes or more.
    package init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    // MARK: Batches

    /// Returns the signature of `body`, sent at `seconds` since 1970: `sha256=` and 64 hexadecimal digits. Nil if there
    /// is too little memory.
    package func text(of body: [UInt8], at seconds: Int) -> String? {
        bytes(of: [Array("\(seconds)".utf8), body]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reports whether the time and the length of the signature allow that a node of the fleet sent the body.
    static func mayBeGood(time: some Collection<UInt8>, signature: some Collection<UInt8>, now: Int) -> Bool {
        guard let seconds = ASCII.canonicalDecimal(time) else { return false }
        return abs(seconds - now) <= tolerance && signature.count == prefix.count + 64
    }

    /// Reports whether a node of the fleet sent `body` within `tolerance` of `now`. `time` and `signature` are values
    /// of header fields.
    func isGood(
        time: some Collection<UInt8>, signature: some Collection<UInt8>, body: [UInt8], now: Int
    ) -> Bool {
        Self.mayBeGood(time: time, signature: signature, now: now)
            && isSigned([Array(time), body], signature)
    }

    // MARK: Heads

    /// Returns the signature of the head of a batch with `length` bytes, sent at `seconds` since 1970. `signature` is
    /// the batch's signature. Nil if there is too little memory.
    package func headText(length: Int, signature: String, at seconds: Int) -> String? {
        let lines = Self.head(
            time: Array("\(seconds)".utf8), length: Array("\(length)".utf8), signature: Array(signature.utf8))
        return bytes(of: lines).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reports whether `found` is the signature of a head with these field values. The caller has checked the time.
    func isGoodHead(
        _ found: some Collection<UInt8>, time: some Collection<UInt8>, length: some Collection<UInt8>,
        signature: some Collection<UInt8>
    ) -> Bool {
        isSigned(Self.head(time: Array(time), length: Array(length), signature: Array(signature)), found)
    }

    private static func head(time: [UInt8], length: [UInt8], signature: [UInt8]) -> [[UInt8]] {
        [Array("tileserver-fleet-head".utf8), time, Array("POST \(path)".utf8), length, signature]
    }

    // MARK: Answers

    /// Returns the signature of the answer to a batch with `signature`. `node` is the answering node, `instance` its
    /// process. Nil if there is too little memory.
    package func answerText(to signature: String, node: String, instance: String) -> String? {
        bytes(of: Self.answer(signature, node, instance)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reports whether `found` is the signature of this answer.
    func isGoodAnswer(_ found: String, to signature: String, node: String, instance: String) -> Bool {
        isSigned(Self.answer(signature, node, instance), found.utf8)
    }

    private static func answer(_ signature: String, _ node: String, _ instance: String) -> [[UInt8]] {
        ["tileserver-fleet-answer", signature, node, instance].map { Array($0.utf8) }
    }

    // MARK: Requests

    /// Returns a request that posts `body` to the node at `url` at `seconds` since 1970, and the signature of `body`.
    /// Nil if there is too little memory.
    package func request(
        posting body: [UInt8], to url: String, at seconds: Int, as profile: UpstreamProfile
    ) -> (request: UpstreamRequest, signature: String)? {
        guard let signed = text(of: body, at: seconds),
            let head = headText(length: body.count, signature: signed, at: seconds)
        else { return nil }
        let fields = [(Self.timeField, "\(seconds)"), (Self.field, signed), (Self.headField, head)]
        var request = UpstreamRequest(url: url, profile: profile, fields: fields.map { ("\($0.0)", $0.1) })
        request.content = UpstreamRequest.Content(bytes: body)
        return (request, signed)
    }

    // MARK: Common parts

    private func isSigned(_ lines: [[UInt8]], _ signature: some Collection<UInt8>) -> Bool {
        guard let expected = bytes(of: lines), expected.count == signature.count else { return false }
        // Compares in constant time: the duration must not reveal the first wrong byte.
        return zip(expected, signature).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns the signature of `lines`, joined by line feeds.
    private func bytes(of lines: [[UInt8]]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        let signed = lines.dropFirst().reduce(into: lines.first ?? []) { $0 += [UInt8(ascii: "\n")] + $1 }
        guard sha256_hmac_of(secret, secret.count, signed, signed.count, &digest) == 1 else { return nil }
        return Self.prefix + ASCII.hexadecimal(digest)
    }
}
