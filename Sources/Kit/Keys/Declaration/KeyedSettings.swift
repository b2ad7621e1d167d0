/// Settings whose keys are declared beside them.
package protocol KeyedSettings: Sendable, Equatable {
    /// The defaults.
    init()
    /// In the order in which they are read and documented.
    static var keys: [Key<Self>] { get }
    /// The line to write in place of each key that there is no more.
    static var formerKeys: [String: String] { get }
    /// Judges what is between keys, after all were read.
    mutating func check(_ section: inout MappingReader)
}

extension KeyedSettings {
    package static var formerKeys: [String: String] { [:] }
    package mutating func check(_ section: inout MappingReader) {}

    /// Reads every key, and judges them.
    package mutating func read(_ section: inout MappingReader) {
        for key in Self.keys {
            key.read(&section, &self)
            section.tell(key.otherNames, of: key.name)
        }
        section.tell(formerKeys: Self.formerKeys)
        check(&section)
    }

    package static var keyNames: [String] { keys.map(\.name) }

    /// The JSON Schema of each key, with its description and default.
    package static var properties: [(String, SchemaValue)] { properties(Self()) }

    /// The same with the defaults of `standard`.
    package static func properties(_ standard: Self) -> [(String, SchemaValue)] {
        keys.map { ($0.name, $0.documented(standard)) }
    }

    /// The JSON Schema of a mapping of these keys. Nothing at all stands for an empty one.
    package static var schema: SchemaValue { schema(Self()) }

    /// The same with the defaults of `standard`.
    package static func schema(_ standard: Self) -> SchemaValue {
        ["type": ["object", "null"], "additionalProperties": false, "properties": SchemaValue(properties(standard))]
    }

    /// A row of a table for each key, and behind it those of the keys below.
    package static var rows: [KeyRow] { rows(Self()) }

    /// The same with the defaults of `standard`.
    package static func rows(_ standard: Self) -> [KeyRow] {
        keys.flatMap { $0.tableRows(standard) }
    }

    /// What is wrong with the first value that is, where they were set in code.
    package var refusal: Refusal? { Self.keys.refusal(of: self) }

    /// The keys, with those above them within these settings, in whose values `old` and `new` differ.
    package static func changedKeys(_ old: Self, _ new: Self) -> [String] {
        keys.flatMap { $0.changes(old, new) }
    }

    /// Sets the key `name` as a mapping of it alone would, without substitution; returns what is wrong.
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
    /// The key's row in a table, and those of the keys below; the defaults are those of `standard`.
    package func tableRows(_ standard: Settings) -> [KeyRow] {
        let row = KeyRow(name: name, standard: self.standard(standard)?.yaml, values: values, meaning: doc)
        return [row] + rows().map { $0.below(name) }
    }

    /// The key's schema, or `other` in its place, with what the key means, and its default in `standard`.
    package func documented(_ standard: Settings, as other: SchemaValue? = nil) -> SchemaValue {
        let meaning: [(String, SchemaValue)] = doc.isEmpty ? [] : [("description", .text(withoutLinks(doc)))]
        return (other ?? schema).adding(meaning + (self.standard(standard).map { [("default", $0)] } ?? []))
    }
}

/// `doc` without the addresses of links, which mean something in one document alone.
package func withoutLinks(_ doc: String) -> String {
    doc.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
}
