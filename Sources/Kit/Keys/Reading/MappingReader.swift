import Bytes

/// Reads the keys of a mapping in a YAML file. The reader does not stop at the first problem but collects all of them,
/// so that the user can correct all of them at once.
///
/// If a key is absent or its value is invalid, the setting keeps its default.
package struct MappingReader {
    /// Position of the mapping: its own key, its item in a list, or the start of the file.
    package let position: Position
    /// Key of the mapping with all keys above it. Empty for the whole file.
    package let path: String
    package internal(set) var problems: [Problem] = []
    /// True if the node is a mapping or empty.
    package let isMapping: Bool

    let entries: [SettingNode.Entry]
    /// Keys that come from shared entries, with the place of the shared entries. Nil if the reader was made without
    /// them.
    let inherited: Inherited?
    /// Context that is passed on to readers of mappings below this one.
    package var context: Context
    private let indices: [[UInt8]: Int]
    private(set) var known: [String] = []
    /// Names of keys in other programs, with their names here.
    var otherNames: [String: String] = [:]
    /// Keys that no longer exist, each with the line to write instead.
    var formerKeys: [String: String] = [:]
    private var refused: Set<String> = []
    private var unsound: Set<String> = []

    /// Creates a reader for the mapping `node`. Nil, `null` and an empty value count as an empty mapping. If `node` is
    /// a list, the error suggests to write `instead`. The entries of `shared` apply where the mapping has no entry of
    /// its own.
    package init(
        _ node: SettingNode?, path: String, position: Position, context: Context, instead: String? = nil,
        sharing shared: SharedEntries? = nil
    ) {
        self.path = path
        self.position = position
        self.context = context
        var entries: [SettingNode.Entry] = []
        switch node?.content {
        case .mapping(let found): entries = found
        case nil: break
        case .scalar(let scalar) where scalar.isNull: break
        case .scalar, .sequence:
            let message = "expected keys and values, found \(node?.found(insteadOfList: instead) ?? "nothing")"
            problems.append(Problem(position: node?.position ?? position, path: path, message: message))
        }
        (self.entries, inherited) = shared?.joined(to: entries) ?? (entries, nil)
        isMapping = problems.isEmpty
        // Compares bytes, because strings with different bytes can be equal.
        let keys = self.entries.enumerated().map { (Array($1.key.utf8), $0) }
        indices = Dictionary(keys, uniquingKeysWith: { first, _ in first })
    }

    /// The keys of the mapping in the order of the file, then the keys from shared entries.
    package var keys: [String] { entries.map(\.key) }

    /// Reports whether the mapping has `key`.
    package func has(_ key: String) -> Bool {
        entry(key) != nil
    }

    /// Reports whether `key` has no errors so far.
    package func isSound(_ key: String) -> Bool {
        !unsound.contains(key)
    }

    /// Reads a single value.
    package mutating func value<Value>(_ key: String, _ rule: ValueRule<Value>, into target: inout Value) {
        if let value = value(key, rule) { target = value }
    }

    /// Reads a single value. Returns nil if the key is absent or its value is refused.
    package mutating func value<Value>(_ key: String, _ rule: ValueRule<Value>) -> Value? {
        guard let node = take(key) else { return nil }
        return read(node, rule, key)
    }

    /// Reads a single value. `null` means nil.
    package mutating func value<Value>(_ key: String, _ rule: ValueRule<Value>, into target: inout Value?) {
        guard let node = take(key) else { return }
        if case .scalar(let scalar) = node.content, (try? context.substitution.applied(to: scalar))?.isNull == true {
            // `read` below reports a refused substitution.
            target = nil
        } else if let value = read(node, rule, key) {
            target = value
        }
    }

    /// Reads a list of single values. `count` is the allowed length of the list. `rule` returns the rule for the value
    /// at an index.
    package mutating func list<Value>(
        _ key: String, count: ClosedRange<Int> = .listCount, into target: inout [Value],
        _ rule: (Int) -> ValueRule<Value>
    ) {
        guard let node = take(key) else { return }
        guard case .sequence(let nodes) = node.content else {
            return complain(key, "expected a list, found \(node.wording)", at: node.position)
        }
        guard count.contains(nodes.count) else {
            return complain(key, "expected \(count.asCount), found \(nodes.count)", at: node.position)
        }
        let values = nodes.enumerated().map { read($1, rule($0), key, at: "[\($0)]") }
        if values.allSatisfy({ $0 != nil }) { target = values.compactMap(\.self) }
    }

    /// Reads a list of lists, such as pairs of numbers. `count` is the allowed number of inner lists, and each of them
    /// must have `width` values. `rule` returns the rule for an index in an inner list.
    package mutating func rows<Value>(
        _ key: String, count: ClosedRange<Int>, width: Int, into target: inout [[Value]],
        _ rule: (Int) -> ValueRule<Value>
    ) {
        guard let node = take(key) else { return }
        guard case .sequence(let rows) = node.content else {
            return complain(key, "expected a list, found \(node.wording)", at: node.position)
        }
        guard count.contains(rows.count) else {
            return complain(key, "expected \(count.asCount), found \(rows.count)", at: node.position)
        }
        var read: [[Value]] = []
        for (index, row) in rows.enumerated() {
            guard case .sequence(let nodes) = row.content, nodes.count == width else {
                complain(key, "expected a list of \(width) values", at: row.position, index: "[\(index)]")
                continue
            }
            let values = nodes.enumerated().compactMap { self.read($1, rule($0), key, at: "[\(index)][\($0)]") }
            if values.count == width { read.append(values) }
        }
        if read.count == rows.count { target = read }
    }

    /// Reports whether the value of `key` is a single value and not a list or a mapping.
    package func isScalar(_ key: String) -> Bool {
        guard case .scalar = entry(key)?.value.content else { return false }
        return true
    }

    /// Reports whether the value of `key` consists of keys and values.
    package func isMapping(_ key: String) -> Bool {
        guard case .mapping = entry(key)?.value.content else { return false }
        return true
    }

    /// Calls `body` with a reader for the mapping below `key`. An absent key counts as an empty mapping. Keys that
    /// `body` does not ask for are reported as unknown. `instead` and `shared` have the same meaning as in `init`.
    package mutating func mapping(
        _ key: String, instead: String? = nil, sharing shared: SharedEntries? = nil,
        _ body: (inout MappingReader) -> Void
    ) {
        let node = take(key)
        var reader = MappingReader(
            node, path: path(to: key), position: entry(key)?.position ?? position, context: context, instead: instead,
            sharing: shared)
        body(&reader)
        reader.refuseUnknownKeys()
        if reader.hasMistakes { unsound.insert(key) }
        problems += reader.problems
    }

    /// Reads a list of mappings, and calls `body` with a reader for each. A single value in the list is short for a
    /// mapping with the one key `shorthand`.
    package mutating func items(
        _ key: String, as shorthand: String, count: ClosedRange<Int> = .listCount, _ body: (inout MappingReader) -> Void
    ) {
        guard let node = take(key) else { return }
        guard case .sequence(let nodes) = node.content else {
            return complain(key, "expected a list, found \(node.wording)", at: node.position)
        }
        guard count.contains(nodes.count) else {
            return complain(
                key, "expected a list of at most \(count.upperBound), found \(nodes.count)", at: node.position)
        }
        for (index, item) in nodes.enumerated() {
            var item = item
            if case .scalar = item.content {
                item.content = .mapping([SettingNode.Entry(key: shorthand, position: item.position, value: item)])
            }
            var reader = MappingReader(
                item, path: path(to: key) + "[\(index)]", position: item.position, context: context)
            body(&reader)
            reader.refuseUnknownKeys()
            if reader.hasMistakes { unsound.insert(key) }
            problems += reader.problems
        }
    }

    /// Returns the position of the value at the nested keys `keys`. Returns nil if there is none.
    package func position(of keys: [String]) -> Position? {
        var value = keys.first.flatMap(entry)?.value
        for key in keys.dropFirst() {
            guard case .mapping(let entries) = value?.content else { return nil }
            value = entries.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
        }
        return value?.position
    }

    /// Reports `message` at the value of `key`, or at the mapping if there is no such key.
    package mutating func complain(_ key: String, _ message: String) {
        complain(key, message, at: entry(key)?.value.position ?? position)
    }

    /// Reports `message` about the mapping itself.
    package mutating func complain(_ message: String) {
        problems.append(Problem(position: position, path: path, message: message))
    }

    /// Marks `keys` as known without reading them.
    package mutating func acknowledge(_ keys: [String]) {
        known += keys
    }

    /// Reports `message` at `key` itself, if the mapping has it.
    package mutating func refuse(_ key: String, _ message: String) {
        refused.insert(key)
        guard let entry = entry(key) else { return }
        complain(key, message, at: entry.position)
    }

    /// Reports every key that was not asked for: neither read nor acknowledged nor refused.
    package mutating func refuseUnknownKeys() {
        let asked = Set(refused.union(known).map { Array($0.utf8) })
        for entry in entries where !asked.contains(Array(entry.key.utf8)) {
            complain(entry.key, "unknown key\(hint(for: entry))", at: entry.position)
        }
    }

    private mutating func complain(_ key: String, _ message: String, at position: Position, index: String = "") {
        unsound.insert(key)
        guard let inherited, inherited.keys.contains(key) else {
            problems.append(Problem(position: position, path: path(to: key) + index, message: message))
            return
        }
        let place = "\(inherited.path).\(escaped(key))\(index)"
        problems.append(Problem(position: position, path: place, message: "\(message) (of \(path))"))
    }

    func entry(_ key: String) -> SettingNode.Entry? {
        indices[Array(key.utf8)].map { entries[$0] }
    }

    private mutating func take(_ key: String) -> SettingNode? {
        known.append(key)
        return entry(key)?.value
    }

    private mutating func read<Value>(
        _ node: SettingNode, _ rule: ValueRule<Value>, _ key: String, at index: String = ""
    ) -> Value? {
        do throws(ValueError) {
            guard case .scalar(let scalar) = node.content else {
                throw ValueError("expected \(rule.expected), found \(node.wording)")
            }
            return try rule.value(of: try context.substitution.applied(to: scalar))
        } catch {
            complain(key, error.message, at: node.position, index: index)
            return nil
        }
    }

    func path(to key: String) -> String {
        let isPlain = !key.isEmpty && key.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) }
        let name = isPlain ? escaped(key) : quoted(key)
        return path.isEmpty ? name : "\(path).\(name)"
    }
}

extension SettingNode {
    fileprivate var wording: String {
        switch content {
        case .scalar(let scalar): scalar.isNull ? "nothing" : "a single value"
        case .sequence: "a list"
        case .mapping: "keys and values"
        }
    }
}
