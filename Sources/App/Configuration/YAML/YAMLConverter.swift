import Keys
import Yams

/// Converts the nodes of the YAML parser to `SettingNode`s. An alias such as `*name` is replaced by the value that it
/// refers to, up to a limit. Duplicate keys, tags of values, and keys that are lists, mappings or aliases are reported
/// as problems.
struct YAMLConverter {
    let source: YAMLSource
    private var anchors: [String: SettingNode] = [:]
    private var problems: [YAMLError] = []

    init(source: YAMLSource) {
        self.source = source
    }

    /// Converts the whole document. The root is nil if the document is empty, or if an error ends the conversion.
    mutating func reading(of root: Node?) -> YAMLDocument.Reading {
        guard let root else { return YAMLDocument.Reading() }
        do throws(YAMLError) {
            let node = try convert(root, level: 1)
            return YAMLDocument.Reading(root: node, problems: problems)
        } catch {
            return YAMLDocument.Reading(problems: problems + [error])
        }
    }

    private mutating func convert(_ node: Node, level: Int) throws(YAMLError) -> SettingNode {
        let position = node.mark.map { Position($0) } ?? .start
        guard level <= YAMLDocument.maximumDepth else { throw Self.tooDeep(position) }
        let converted: SettingNode
        switch node {
        case .scalar(let scalar):
            if let target = try aliased(scalar, at: position) { return target }
            converted = SettingNode(position: position, content: .scalar(self.scalar(scalar, at: position)))
        case .sequence(let sequence):
            refuse(tag: sequence.tag, at: position)
            var elements: [SettingNode] = []
            for element in sequence { elements.append(try convert(element, level: level + 1)) }
            converted = try measured(SettingNode(position: position, content: .sequence(elements)), elements)
        case .mapping(let mapping):
            refuse(tag: mapping.tag, at: position)
            let entries = try entries(of: mapping, level: level)
            converted = try measured(SettingNode(position: position, content: .mapping(entries)), entries.map(\.value))
        case .alias:
            throw YAMLError(position, "the alias names no value")
        }
        if let anchor = node.anchorName { anchors[anchor] = converted }
        return converted
    }

    private mutating func entries(of mapping: Node.Mapping, level: Int) throws(YAMLError) -> [SettingNode.Entry] {
        var entries: [SettingNode.Entry] = []
        var firsts: [[UInt8]: Position] = [:]
        for (key, value) in mapping {
            let position = key.mark.map { Position($0) } ?? .start
            let converted = try convert(value, level: level + 1)
            guard case .scalar(let scalar) = key, !isAlias(scalar) else {
                problems.append(YAMLError(position, "a key must be plain text, not a list, a mapping or an alias"))
                continue
            }
            let name = source.unmasked(scalar.string)
            if let first = firsts.updateValue(position, forKey: Array(name.utf8)) {
                firsts[Array(name.utf8)] = first
                let message = "the key \(quoted(name)) is given more than once, first in line \(first.line)"
                problems.append(YAMLError(position, message))
            } else {
                entries.append(SettingNode.Entry(key: name, position: position, value: converted))
            }
        }
        return entries
    }

    /// Sets the count and the depth of `node`: the number of values and levels in it. Throws if a limit is exceeded.
    /// `children` are the direct children, whose counts and depths are already set.
    private func measured(_ node: SettingNode, _ children: [SettingNode]) throws(YAMLError) -> SettingNode {
        var node = node
        for child in children {
            // Each count is at most the maximum, so the sum cannot overflow before the check.
            node.count += child.count
            guard node.count <= YAMLDocument.maximumCount else {
                let message =
                    "the file has more than \(YAMLDocument.maximumCount) values after its aliases are expanded"
                throw YAMLError(node.position, message)
            }
            node.depth = max(node.depth, child.depth + 1)
        }
        guard node.depth <= YAMLDocument.maximumDepth else { throw Self.tooDeep(node.position) }
        return node
    }

    private mutating func scalar(_ scalar: Node.Scalar, at position: Position) -> Scalar {
        let isQuoted = scalar.style != .plain && scalar.style != .any
        if isQuoted ? scalar.tag.rawValue != Tag.Name.str.rawValue : !scalar.tag.rawValue.isEmpty {
            problems.append(YAMLError(position, "tags such as !!str are not supported; write text in quotes"))
        }
        return Scalar(text: source.unmasked(scalar.string), isQuoted: isQuoted)
    }

    private mutating func refuse(tag: Tag, at position: Position) {
        guard !tag.rawValue.isEmpty else { return }
        problems.append(YAMLError(position, "tags such as !!map are not supported"))
    }

    private func isAlias(_ scalar: Node.Scalar) -> Bool {
        scalar.style == .plain && scalar.string.unicodeScalars.first == YAMLSource.aliasMark
    }

    /// Returns the value that an alias such as `*name` refers to. Returns nil if `scalar` is not an alias.
    private func aliased(_ scalar: Node.Scalar, at position: Position) throws(YAMLError) -> SettingNode? {
        guard isAlias(scalar) else { return nil }
        let name = String(String.UnicodeScalarView(scalar.string.unicodeScalars.dropFirst()))
        guard name.unicodeScalars.allSatisfy(YAMLSource.isNameCharacter), scalar.anchor == nil,
            scalar.tag.rawValue.isEmpty
        else {
            throw YAMLError(position, "not valid YAML: text after an alias; write text that begins with * in quotes")
        }
        guard let target = anchors[name] else {
            throw YAMLError(position, "the alias *\(name) names no value above it")
        }
        return target
    }

    private static func tooDeep(_ position: Position) -> YAMLError {
        YAMLError(position, "more than \(YAMLDocument.maximumDepth) nested levels")
    }
}

extension Node {
    fileprivate var anchorName: String? {
        switch self {
        case .scalar(let scalar): scalar.anchor?.rawValue
        case .sequence(let sequence): sequence.anchor?.rawValue
        case .mapping(let mapping): mapping.anchor?.rawValue
        case .alias: nil
        }
    }
}
