/// A key of a mapping. This one declaration is the source for reading files, for the JSON Schema, for the tables in the
/// documentation, and for the checks of values that are set in code.
///
/// Rules that concern several keys (`KeyedSettings.check`) apply only to files. A value that is set in code already has
/// the right type.
package struct Key<Settings>: Sendable {
    package typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// The key as it is written.
    package let name: String
    /// Meaning of the key, in Markdown.
    package let doc: String
    /// Names of the key in other programs, for hints to users who write one of them.
    package private(set) var otherNames: [String] = []
    /// Valid values for a table: a range, or alternatives. Empty if `doc` says it.
    package let values: String
    /// JSON Schema of valid values.
    package let schema: SchemaValue
    /// Returns the default value from settings that are all defaults. Returns nil if the key has no default.
    package let standard: @Sendable (Settings) -> SchemaValue?
    /// Reads the key if it is present.
    package let read: @Sendable (inout MappingReader, inout Settings) -> Void
    /// Checks a value that was set in code. Returns nil if it is valid.
    package let refusal: @Sendable (Settings) -> Refusal?
    /// Returns the keys below this one, for tables.
    package let rows: @Sendable () -> [KeyRow]
    /// Returns the names of keys in which two settings differ: this key, or keys below it, such as `tiles.ttl`. Some
    /// keys always return none.
    package let changes: @Sendable (Settings, Settings) -> [String]

    /// Creates a key from functions that read, check and compare its value.
    package init(
        _ name: String, schema: SchemaValue, values: String = "", _ doc: String,
        standard: @escaping @Sendable (Settings) -> SchemaValue? = { _ in nil },
        refusal: @escaping @Sendable (Settings) -> Refusal? = { _ in nil },
        rows: @escaping @Sendable () -> [KeyRow] = { [] },
        changes: @escaping @Sendable (Settings, Settings) -> [String] = { _, _ in [] },
        read: @escaping @Sendable (inout MappingReader, inout Settings) -> Void
    ) {
        self.name = name
        self.doc = doc
        self.values = values
        self.schema = schema
        self.standard = standard
        self.refusal = refusal
        self.rows = rows
        self.changes = changes
        self.read = read
    }

    /// Returns this key with `names` as its names in other programs.
    package func called(_ names: String...) -> Key {
        var key = self
        key.otherNames += names
        return key
    }

    /// Creates a key with a single value, such as a number or a word. `rule` checks the value.
    package init<Value: Equatable & Sendable>(
        _ name: String, _ path: Path<Value>, _ rule: ValueRule<Value>, _ doc: String
    ) {
        self.init(
            name, schema: rule.schema, values: rule.values, doc, standard: { rule.write($0[keyPath: path]) },
            refusal: { rule.refusal($0[keyPath: path]) },
            changes: { $0[keyPath: path] == $1[keyPath: path] ? [] : [name] },
            read: { section, settings in
                // Not with `into:`, which would store a default even if the key is absent.
                if let value = section.value(name, rule) { settings[keyPath: path] = value }
            })
    }

    /// Creates a key with a single value that may be nil. If `takesNull` is true, `null` in the file means nil. `unset`
    /// is the default that applies if the value is nil, for the documentation.
    package init<Value: Equatable & Sendable>(
        _ name: String, optional path: Path<Value?>, _ rule: ValueRule<Value>, takesNull: Bool = false,
        unset: Value? = nil, _ doc: String
    ) {
        let unset = unset.map(rule.write)
        self.init(
            name, schema: takesNull ? rule.schema.or(["type": "null"]) : rule.schema, values: rule.values,
            doc, standard: { $0[keyPath: path].map(rule.write) ?? unset },
            refusal: { $0[keyPath: path].flatMap(rule.refusal) },
            changes: { $0[keyPath: path] == $1[keyPath: path] ? [] : [name] },
            read: { section, settings in
                if takesNull {
                    section.value(name, rule, into: &settings[keyPath: path])
                } else if let value = section.value(name, rule) {
                    settings[keyPath: path] = value
                }
            })
    }

    /// Creates a key with a list of values. `rule` checks each value, and `count` is the allowed length of the list.
    package init<Value: Equatable & Sendable>(
        _ name: String, list path: Path<[Value]>, count: ClosedRange<Int> = .listCount, of rule: ValueRule<Value>,
        _ doc: String
    ) {
        self.init(
            name, schema: .list(of: rule.schema, count), values: rule.values, doc,
            standard: { .list($0[keyPath: path].map(rule.write)) },
            refusal: { count.refusal(of: $0[keyPath: path]) ?? $0[keyPath: path].lazy.compactMap(rule.refusal).first },
            changes: { $0[keyPath: path] == $1[keyPath: path] ? [] : [name] },
            read: { section, settings in
                section.list(name, count: count, into: &settings[keyPath: path]) { _ in rule }
            })
    }

    /// Creates a key with a mapping below it.
    package init<Value: KeyedSettings>(_ name: String, section path: Path<Value>, _ doc: String) {
        self.init(
            name, schema: Value.schema, doc, refusal: { $0[keyPath: path].refusal }, rows: { Value.rows },
            changes: { Value.changedKeys($0[keyPath: path], $1[keyPath: path]).map { "\(name).\($0)" } },
            read: { section, settings in section.mapping(name) { settings[keyPath: path].read(&$0) } })
    }

    /// Creates a key with a mapping below it. The defaults in the schema and in the documentation come from `standard`.
    /// Changes of this key are not reported.
    package init<Value: KeyedSettings>(
        _ name: String, section path: Path<Value>, standard: Value, _ doc: String
    ) {
        self.init(
            name, schema: Value.schema(standard), doc, refusal: { $0[keyPath: path].refusal },
            rows: { Value.rows(standard) },
            read: { section, settings in section.mapping(name) { settings[keyPath: path].read(&$0) } })
    }

    /// Creates a key with an optional mapping below it. If the file does not have the key, the value stays unchanged.
    /// If the file has the key, every key that is absent in the mapping gets its default.
    package init<Value: KeyedSettings>(_ name: String, optionalSection path: Path<Value?>, _ doc: String) {
        self.init(
            name, schema: Value.schema, doc, refusal: { $0[keyPath: path]?.refusal }, rows: { Value.rows },
            changes: { old, new in
                guard let old = old[keyPath: path], let new = new[keyPath: path] else {
                    return old[keyPath: path] == new[keyPath: path] ? [] : [name]
                }
                return Value.changedKeys(old, new).map { "\(name).\($0)" }
            },
            read: { section, settings in
                guard section.has(name) else { return section.acknowledge([name]) }
                var value = Value()
                section.mapping(name) { value.read(&$0) }
                settings[keyPath: path] = value
            })
    }
}

extension SchemaValue {
    /// Returns the schema of a list. `count` is the range of its length.
    package static func list(of element: SchemaValue, _ count: ClosedRange<Int>) -> SchemaValue {
        let least: [(String, SchemaValue)] =
            count.lowerBound > 0 ? [("minItems", .number(Double(count.lowerBound)))] : []
        return SchemaValue(
            [("type", "array"), ("items", element)] + least + [("maxItems", .number(Double(count.upperBound)))])
    }
}

extension Key {
    /// Creates a key with a non-empty text and no default. `expected` describes the text, such as `a file`.
    package init(_ name: String, path: Path<String>, _ expected: String, _ doc: String) {
        let rule = ValueRule<String>.filledText(expected)
        self.init(name, schema: rule.schema, doc) { section, settings in
            section.value(name, rule, into: &settings[keyPath: path])
        }
    }
}
