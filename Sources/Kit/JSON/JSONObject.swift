/// An object of a JSON text, whose members are read by name. When the object was created, all member names were checked
/// against a list of known names.
package struct JSONObject: Sendable {
    struct Member {
        let name: String
        let value: Int
    }

    let text: JSONText
    let members: [Member]
    /// Path of the object in the text. Empty for the whole text.
    package let path: String

    /// Returns the member `name`. Returns nil if it is missing or null.
    package subscript(name: String) -> JSONValue? {
        guard let member = members.first(where: { $0.name == name }), text.kind(of: member.value) != .null else {
            return nil
        }
        return JSONValue(text: text, offset: member.value, path: path(to: name))
    }

    /// Returns the member `name`. Throws `missing` if it is missing or null.
    package func required(_ name: String) throws(JSONError) -> JSONValue {
        guard let value = self[name] else { throw .missing(path: path(to: name)) }
        return value
    }

    /// Returns the path of the member `name`, even if there is no such member.
    package func path(to name: String) -> String { JSONPath.member(name, of: path) }
}
