/// One key of a mapping, declared once: out of it come the reader, the JSON Schema, the tables of the documentation and
/// the range that a value set in code is held to.
///
/// A value set in code is of the right type already. What it names is judged when it is opened: templates, paths, other
/// layers. What one key says of another (`check`) is judged of files alone, where the keys that stand there are known.
package struct Key<Settings>: Sendable {
    package typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// How it is written.
    package let name: String
    /// What it means, in Markdown.
    package let doc: String
    /// What other programs call it, for those who write that.
    package private(set) var otherNames: [String] = []
    /// What may be written, for a table: a range, or alternatives. Empty where `doc` says it.
    package let values: String
    /// The JSON Schema of what may be written.
    package let schema: SchemaValue
    /// What holds where the key is absent, of settings that are all defaults; nil where that has no value.
    package let standard: @Sendable (Settings) -> SchemaValue?
    /// Reads the key if it is there.
    package let read: @Sendable (inout MappingReader, inout Settings) -> Void
    /// What is wrong with the value, where it was set in code; nil where nothing is.
    package let refusal: @Sendable (Settings) -> Refusal?
    /// The keys below this one, for tables.
    package let rows: @Sendable () -> [KeyRow]
    /// The name, or behind it those of the keys below, where two such settings differ in it. A key that is not read by a single
    /// rule says nothing.
    package let changes: @Sendable (Settings, Settings) -> [String]

    /// A key that is not read by a single rule.
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

    /// This key, which other programs call `names`.
    package func called(_ names: String...) -> Key {
        var key = self
        key.otherNames += names
        return key
    }

    /// A single value.
    package init<Value: Equatable & Sendable>(
        _ name: String, _ path: Path<Value>, _ rule: ValueRule<Value>, _ doc: String
    ) {
        self.init(
            name, schema: rule.schema, values: rule.values, doc, standard: { rule.write($0[keyPath: path]) },
            refusal: { rule.refusal($0[keyPath: path]) },
            changes: { $0[keyPath: path] == $1[keyPath: path] ? [] : [name] },
            read: { section, settings in
                // Not by `into`, which would store a default that was not written.
                if let value = section.value(name, rule) { settings[keyPath: path] = value }
            })
    }

    /// A single value that need not be there. `takesNull`: whether `null` stands for none. `unset`: what holds then,
    /// if a value says it.
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

    /// A list of values, all by one rule.
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

    /// The mapping below the key.
    package init<Value: KeyedSettings>(_ name: String, section path: Path<Value>, _ doc: String) {
        self.init(
            name, schema: Value.schema, doc, refusal: { $0[keyPath: path].refusal }, rows: { Value.rows },
            changes: { Value.changedKeys($0[keyPath: path], $1[keyPath: path]).map { "\(name).\($0)" } },
            read: { section, settings in section.mapping(name) { settings[keyPath: path].read(&$0) } })
    }

    /// The mapping below the key, whose defaults are those of `standard`.
    package init<Value: KeyedSettings>(
        _ name: String, section path: Path<Value>, standard: Value, _ doc: String
    ) {
        self.init(
            name, schema: Value.schema(standard), doc, refusal: { $0[keyPath: path].refusal },
            rows: { Value.rows(standard) },
            read: { section, settings in section.mapping(name) { settings[keyPath: path].read(&$0) } })
    }

    /// The mapping below the key. Without the key there is nothing; without a key in it, the defaults.
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
    /// A list of so many of `element`.
    package static func list(of element: SchemaValue, _ count: ClosedRange<Int>) -> SchemaValue {
        let least: [(String, SchemaValue)] =
            count.lowerBound > 0 ? [("minItems", .number(Double(count.lowerBound)))] : []
        return SchemaValue(
            [("type", "array"), ("items", element)] + least + [("maxItems", .number(Double(count.upperBound)))])
    }
}

extension Key {
    /// A text that is not empty, and has no default. `expected`: what it is, such as `a file`.
    package init(_ name: String, path: Path<String>, _ expected: String, _ doc: String) {
        let rule = ValueRule<String>.filledText(expected)
        self.init(name, schema: rule.schema, doc) { section, settings in
            section.value(name, rule, into: &settings[keyPath: path])
        }
    }
}
