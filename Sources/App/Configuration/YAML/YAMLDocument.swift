import Keys
import Dispatch
import Foundation
import Yams

/// Reads a YAML document and converts it to `SettingNode`s, which keep the position of each value.
enum YAMLDocument {
    /// Maximum size of a file in bytes.
    static let maximumBytes = 1 << 20
    /// Maximum number of values in a document, with aliases resolved.
    static let maximumCount = 100_000
    /// Maximum number of levels in a document, with aliases resolved. The configuration needs six.
    static let maximumDepth = 32

    /// The result of `read`: the usable part of the document, and its problems.
    struct Reading: Sendable {
        /// Nil for an empty file, and if `problems` explain why there is no document.
        var root: SettingNode?
        var problems: [YAMLError] = []
    }

    /// Reads `bytes`. Time and memory are bounded for every input.
    static func read(_ bytes: [UInt8]) -> Reading {
        guard bytes.count <= maximumBytes else {
            return Reading(problems: [YAMLError(.start, "the file is longer than \(maximumBytes) bytes")])
        }
        do throws(YAMLError) {
            let source = try YAMLSource(bytes)
            return withDeepStack { compose(source) }
        } catch {
            return Reading(problems: [error])
        }
    }

    /// Runs `body` on a thread with a large stack, and waits for the result. The YAML parser is recursive, with up to
    /// 1,000 nested levels. The stack of a Dispatch thread is too small for so many levels.
    private static func withDeepStack(_ body: @escaping @Sendable () -> Reading) -> Reading {
        let box = Box()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            box.reading = body()
            done.signal()
        }
        thread.stackSize = 16 << 20
        thread.start()
        done.wait()
        return box.reading
    }

    /// Passes the result from one thread to another.
    // Invariant behind @unchecked: written once before the semaphore is signalled, and read once after the wait.
    private final class Box: @unchecked Sendable {
        var reading = Reading()
    }

    private static func compose(_ source: YAMLSource) -> Reading {
        var source = source
        while true {
            do {
                // The parser owns the anchors, to which its nodes have only weak references.
                let parser = try Yams.Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
                let root = try parser.singleRoot()
                return withExtendedLifetime(parser) {
                    var converter = YAMLConverter(source: source)
                    return converter.reading(of: root)
                }
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let position = Position(context.mark)
                guard source.maskKey(at: position) else {
                    let name = names.first.map(source.unmasked) ?? ""
                    return Reading(problems: [YAMLError(position, "the key \(quoted(name)) is given more than once")])
                }
            } catch {
                return Reading(problems: [problem(for: error, in: source)])
            }
        }
    }

    private static func problem(for error: any Error, in source: YAMLSource) -> YAMLError {
        switch error {
        case YamlError.scanner(let context, let text, let mark, _),
            YamlError.parser(let context, let text, let mark, _):
            let position = Position(mark)
            if !source.hasSubstitution(at: position),
                let mistake = YAMLMistake.found(at: position, since: context.map { Position($0.mark) }, in: source)
            {
                return mistake
            }
            let beginning = context.map { " (\($0.text) that begins at \(Position($0.mark).text))" } ?? ""
            let hint = source.hasSubstitution(at: position) ? "; inside { } or [ ], write \"${…}\" with quotes" : ""
            return YAMLError(position, "not valid YAML: \(text)\(beginning)\(hint)")
        case YamlError.composer(_, _, let mark, _):
            return YAMLError(Position(mark), "a second document begins here; expected one document")
        default:
            return YAMLError(.start, "not valid YAML")
        }
    }
}

extension Position {
    init(_ mark: Mark) {
        self.init(line: max(mark.line, 1), column: max(mark.column, 1))
    }

    var text: String { "\(line):\(column)" }
}
