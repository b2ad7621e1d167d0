import JSON

/// What one server of a fleet posts to another: who it is, and messages.
package struct FleetLetter: Sendable, Equatable {
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

    /// Letters that have all of `messages` between them, each no longer than it may be.
    package static func all(of messages: [FleetMessage], from node: String) -> [FleetLetter] {
        var letters: [FleetLetter] = []
        var (next, size) = ([FleetMessage](), 0)
        for message in messages {
            let more = message.fields.reduce(16) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
            if !next.isEmpty, size + more > longest / 2 || next.count == mostMessages {
                letters.append(FleetLetter(node: node, messages: next))
                (next, size) = ([], 0)
            }
            next.append(message)
            size += more
        }
        return letters + [FleetLetter(node: node, messages: next)]
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

    /// Nil where `body` is no letter. A message that is none that this version knows is left out.
    package init?(body: [UInt8]) {
        do {
            let letter = try JSONText(body, depth: 4).value.object(["node", "messages"])
            node = try letter.required("node").string()
            guard FleetMessage.isName(node, atMost: 64) else { return nil }
            messages = try letter.required("messages").elements(atMost: Self.mostMessages).compactMap { message in
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
