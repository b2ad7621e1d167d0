import Bytes

/// Reads one mapping key by key and collects whatever is wrong, so that one mistake hides no other.
///
/// A key that is absent leaves its target, which holds the default, as it is. So does a key whose value is refused.
package struct MappingReader {
    /// Where the mapping is: its own key, or the start of the file.
    package let position: Position
    /// The key of the mapping with all keys above it; empty for the whole file.
    package let path: String
    package internal(set) var problems: [Problem] = []
    /// Whether keys and values stand there, or nothing.
    package let isMapping: Bool

    let entries: [SettingNode.Entry]
    /// The keys that stand where several mappings have them from, and that place; nil: there is none.
    let inherited: Inherited?
    /// What readers of mappings below this one get too.
    package var context: Context
    private let indices: [[UInt8]: Int]
    private(set) var known: [String] = []
    /// What keys are called elsewhere, and here.
    var otherNames: [String: String] = [:]
    /// Lines to write in place of keys that there are no more.
    var formerKeys: [String: String] = [:]
    private var refused: Set<String> = []
    private var unsound: Set<String> = []

    /// Reads `node`; nil and an empty value are an empty mapping. `instead` is what to write in the place of a list, `shared` what
    /// the mapping has beside its own.
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
        // As bytes, because strings that differ in bytes can be equal.
        let keys = self.entries.enumerated().map { (Array($1.key.utf8), $0) }
        indices = Dictionary(keys, uniquingKeysWith: { first, _ in first })
    }

    /// The keys in the order of the file.
    package var keys: [String] { entries.map(\.key) }

    /// Whether the mapping has `key`.
    package func has(_ key: String) -> Bool {
        entry(key) != nil
    }

    /// Whether nothing was found wrong with `key` so far.
    package func isSound(_ key: String) -> Bool {
        !unsound.contains(key)
    }

    /// Reads a single value.
    package mutating func value<Value>(_ key: String, _ rule: ValueRule<Value>, into target: inout Value) {
        if let value = value(key, rule) { target = value }
    }

    /// Reads a single value; nil where the key is absent or its value refused.
    package mutating func value<Value>(_ key: String, _ rule: ValueRule<Value>) -> Value? {
        guard let node = take(key) else { return nil }
        return read(node, rule, key)
    }

    /// Reads a single value, where nothing (`null`) means nil.
    package mutating func value<Value>(_ key: String, _ rule: ValueRule<Value>, into target: inout Value?) {
        guard let node = take(key) else { return }
        if case .scalar(let scalar) = node.content, (try? context.substitution.applied(to: scalar))?.isNull == true {
            // A refused substitution is reported by `read`, below.
            target = nil
        } else if let value = read(node, rule, key) {
            target = value
        }
    }

    /// Reads a list of `count` values, the one at an index by the rule for that index.
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

    /// Reads a list of `count` lists of `width` values each, the one at an index by the rule for that index.
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

    /// Whether the value of `key` is a single one and no list or mapping.
    package func isScalar(_ key: String) -> Bool {
        guard case .scalar = entry(key)?.value.content else { return false }
        return true
    }

    /// Reads the mapping below `key`, even where it is absent. Keys that `body` does not ask for are refused. `instead` is what to
    /// write in the place of a list, `shared` what the mapping has beside its own.
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

    /// Reads a list of mappings, of which one that stands there as a single value means `{ shorthand: value }`.
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

    /// Where the value of the last of `keys` stands, each below the one before; nil where there is none.
    package func position(of keys: [String]) -> Position? {
        var value = keys.first.flatMap(entry)?.value
        for key in keys.dropFirst() {
            guard case .mapping(let entries) = value?.content else { return nil }
            value = entries.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
        }
        return value?.position
    }

    /// Reports `message` at the value of `key`, or at the mapping where there is no such key.
    package mutating func complain(_ key: String, _ message: String) {
        complain(key, message, at: entry(key)?.value.position ?? position)
    }

    /// Reports `message` about the mapping itself.
    package mutating func complain(_ message: String) {
        problems.append(Problem(position: position, path: path, message: message))
    }

    /// Takes `keys` for known without reading them, where it cannot be said what belongs there.
    package mutating func acknowledge(_ keys: [String]) {
        known += keys
    }

    /// Reports `message` at `key` itself, if the mapping has it.
    package mutating func refuse(_ key: String, _ message: String) {
        refused.insert(key)
        guard let entry = entry(key) else { return }
        complain(key, message, at: entry.position)
    }

    /// Reports every key that was not read.
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
