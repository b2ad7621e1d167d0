/// An object of a JSON text whose names are all known.
package struct JSONObject: Sendable {
    struct Member {
        let name: String
        let value: Int
    }

    let text: JSONText
    let members: [Member]
    /// Where it stands in the text; empty for the whole.
    package let path: String

    /// The member of this name; nil where there is none, or it is null.
    package subscript(name: String) -> JSONValue? {
        guard let member = members.first(where: { $0.name == name }), text.kind(of: member.value) != .null else {
            return nil
        }
        return JSONValue(text: text, offset: member.value, path: path(to: name))
    }

    /// The member of this name. Throws `missing` where there is none, or it is null.
    package func required(_ name: String) throws(JSONError) -> JSONValue {
        guard let value = self[name] else { throw .missing(path: path(to: name)) }
        return value
    }

    /// The path of the member of this name, whether there is one or not.
    package func path(to name: String) -> String { JSONPath.member(name, of: path) }
}
