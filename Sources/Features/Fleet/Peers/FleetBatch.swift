import Bytes
import CLibcrypto
import HTTPClient
import JSON

/// A post of one server of a fleet to another: its name, and messages.
package struct FleetBatch: Sendable, Equatable {
    /// The server that sends it, as the others call it.
    package let node: String
    package let messages: [FleetMessage]

    /// The most bytes of a body.
    package static let longest = 1 << 20
    /// The most messages in one.
    package static let mostMessages = 512

    package init(node: String, messages: [FleetMessage]) {
        self.node = node
        self.messages = messages
    }

    /// Batches that have all of `messages` between them, each no longer than it may be.
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
        // Nothing in them need be escaped.
        let messages = messages.map { message in
            let fields = message.fields + (message.id.map { [("id", "\($0)")] } ?? [])
            return "{\(fields.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ","))}"
        }
        return Array("{\"node\":\"\(node)\",\"messages\":[\(messages.joined(separator: ","))]}".utf8)
    }

    /// Nil where `body` is no batch. A message that is none that this version knows is left out.
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

/// Proves that a message between the fleet's servers, its head or its answer is of the fleet: by HMAC-SHA-256 (RFC 2104) with the
/// secret that all servers have.
///
/// The signed texts of the three differ in their first line, so that no signature fits two of them: the text of a message begins
/// with digits, the other two with words.
package struct FleetSignature: Sendable {
    private let secret: [UInt8]

    /// The names of the fields with the time, in seconds since 1970, and the message's signature.
    package static let timeField: StaticString = "x-fleet-time"
    package static let field: StaticString = "x-fleet-signature"
    /// The name of the field with the head's signature. Servers of an older version do not send it.
    package static let headField: StaticString = "x-fleet-head-signature"
    /// Where messages are posted to.
    package static let path = "/fleet/messages"
    /// Seconds by which the time of a message may differ from a server's own.
    package static let tolerance = 30
    private static let prefix = Array("sha256=".utf8)

    /// `secret`: 16 bytes or more.
    package init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    // MARK: Messages

    /// The signature of `body` that is sent at `seconds` since 1970: `sha256=` and 64 hexadecimal digits. Nil where there is no memory
    /// for it.
    package func text(of body: [UInt8], at seconds: Int) -> String? {
        bytes(of: [Array("\(seconds)".utf8), body]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a body may come from a server of the fleet, by its time and the form of its signature.
    static func mayBeGood(time: some Collection<UInt8>, signature: some Collection<UInt8>, now: Int) -> Bool {
        guard let seconds = ASCII.canonicalDecimal(time) else { return false }
        return abs(seconds - now) <= tolerance && signature.count == prefix.count + 64
    }

    /// Whether `body` came from a server of the fleet within `tolerance` of `now`; `time` and `signature` are the fields' values.
    func isGood(
        time: some Collection<UInt8>, signature: some Collection<UInt8>, body: [UInt8], now: Int
    ) -> Bool {
        Self.mayBeGood(time: time, signature: signature, now: now)
            && isSigned([Array(time), body], signature)
    }

    // MARK: Heads

    /// The signature of the head of a message of `length` bytes that is sent at `seconds` since 1970. `signature`: that of the message.
    /// Nil where there is no memory for it.
    package func headText(length: Int, signature: String, at seconds: Int) -> String? {
        let lines = Self.head(
            time: Array("\(seconds)".utf8), length: Array("\(length)".utf8), signature: Array(signature.utf8))
        return bytes(of: lines).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether `found` is the signature of a head with these values of its fields, whose time was judged.
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

    /// The signature of what `node`, in its process `instance`, answers to the message that has `signature`. Nil where there is no
    /// memory for it.
    package func answerText(to signature: String, node: String, instance: String) -> String? {
        bytes(of: Self.answer(signature, node, instance)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether `found` is that signature.
    func isGoodAnswer(_ found: String, to signature: String, node: String, instance: String) -> Bool {
        isSigned(Self.answer(signature, node, instance), found.utf8)
    }

    private static func answer(_ signature: String, _ node: String, _ instance: String) -> [[UInt8]] {
        ["tileserver-fleet-answer", signature, node, instance].map { Array($0.utf8) }
    }

    // MARK: Requests

    /// A request that posts `body` to the server at `url` at `seconds` since 1970, and the signature of `body`. Nil where there is no
    /// memory for it.
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

    // MARK: What all have in common

    private func isSigned(_ lines: [[UInt8]], _ signature: some Collection<UInt8>) -> Bool {
        guard let expected = bytes(of: lines), expected.count == signature.count else { return false }
        // In a time that does not depend on where the two differ.
        return zip(expected, signature).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Of `lines` with a line feed between each two.
    private func bytes(of lines: [[UInt8]]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        let signed = lines.dropFirst().reduce(into: lines.first ?? []) { $0 += [UInt8(ascii: "\n")] + $1 }
        guard sha256_hmac_of(secret, secret.count, signed, signed.count, &digest) == 1 else { return nil }
        return Self.prefix + Self.hexadecimal(digest)
    }

    static func hexadecimal(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
