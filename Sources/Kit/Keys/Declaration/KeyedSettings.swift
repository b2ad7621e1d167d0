/// Settings with a declaration of their keys.
package protocol KeyedSettings: Sendable, Equatable {
    /// Creates settings in which every key has its default.
    init()
    /// The keys, in the order in which they are read and documented.
    static var keys: [Key<Self>] { get }
    /// Keys that no longer exist, each with the line to write instead.
    static var formerKeys: [String: String] { get }
    /// Checks rules that concern several keys together. Called after all keys of the mapping were read.
    mutating func check(_ section: inout MappingReader)
}

extension KeyedSettings {
    package static var formerKeys: [String: String] { [:] }
    package mutating func check(_ section: inout MappingReader) {}

    /// Reads every key, and then checks the rules between keys.
    package mutating func read(_ section: inout MappingReader) {
        for key in Self.keys {
            key.read(&section, &self)
            section.tell(key.otherNames, of: key.name)
        }
        section.tell(formerKeys: Self.formerKeys)
        check(&section)
    }

    package static var keyNames: [String] { keys.map(\.name) }

    /// JSON Schema of each key, with description and default.
    package static var properties: [(String, SchemaValue)] { properties(Self()) }

    /// Returns the JSON Schema of each key, with the defaults of `standard`.
    package static func properties(_ standard: Self) -> [(String, SchemaValue)] {
        keys.map { ($0.name, $0.documented(standard)) }
    }

    /// JSON Schema of a mapping with these keys. Null counts as an empty mapping.
    package static var schema: SchemaValue { schema(Self()) }

    /// Returns the JSON Schema of a mapping with these keys and the defaults of `standard`.
    package static func schema(_ standard: Self) -> SchemaValue {
        ["type": ["object", "null"], "additionalProperties": false, "properties": SchemaValue(properties(standard))]
    }

    /// Table rows of all keys. The rows of keys below a key follow its own row.
    package static var rows: [KeyRow] { rows(Self()) }

    /// Returns the table rows of all keys, with the defaults of `standard`.
    package static func rows(_ standard: Self) -> [KeyRow] {
        keys.flatMap { $0.tableRows(standard) }
    }

    /// The first error in values that were set in code. Nil if all values are valid.
    package var refusal: Refusal? { Self.keys.refusal(of: self) }

    /// Returns the names of the keys in which `old` and `new` differ, each with the keys above it.
    package static func changedKeys(_ old: Self, _ new: Self) -> [String] {
        keys.flatMap { $0.changes(old, new) }
    }

    /// Sets the key `name` as if a mapping contained only this key, without substitution. Returns the errors and
    /// warnings.
    package mutating func set(_ name: String, to scalar: Scalar) -> [String] {
        let value = SettingNode(position: .start, content: .scalar(scalar))
        let entry = SettingNode.Entry(key: name, position: .start, value: value)
        var reader = MappingReader(
            SettingNode(position: .start, content: .mapping([entry])), path: "", position: .start, context: .verbatim)
        for key in Self.keys where key.name == name { key.read(&reader, &self) }
        return reader.problems.map(\.message)
    }
}

extension Key {
    /// Returns the key's row in a table and the rows of the keys below it, with the defaults of `standard`.
    package func tableRows(_ standard: Settings) -> [KeyRow] {
        let row = KeyRow(name: name, standard: self.standard(standard)?.yaml, values: values, meaning: doc)
        return [row] + rows().map { $0.below(name) }
    }

    /// Returns the key's schema, or `other` instead, with description and default. The default comes from `standard`.
    package func documented(_ standard: Settings, as other: SchemaValue? = nil) -> SchemaValue {
        let meaning: [(String, SchemaValue)] = doc.isEmpty ? [] : [("description", .text(withoutLinks(doc)))]
        return (other ?? schema).adding(meaning + (self.standard(standard).map { [("default", $0)] } ?? []))
    }
}

/// Returns `doc` without the addresses of links, which are valid in one document only.
package func withoutLinks(_ doc: String) -> String {
    doc.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
}
