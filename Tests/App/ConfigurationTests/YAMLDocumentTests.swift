import Foundation
import Keys
import Testing

@testable import Configuration

/// Tests of the limits of the YAML parser.
struct YAMLDocumentTests {
    /// Returns the problems of `text`, one line each. The list is empty if `text` is valid.
    private func problems(_ text: String) -> [String] {
        YAMLDocument.read(Array(text.utf8)).problems.map {
            "\($0.position.line):\($0.position.column): \($0.message)"
        }
    }

    /// A parser that unfolds aliases or recurses once for each level would run for years on such a document, or crash.
    static let bombs: [String] = [
        bomb(keys: ""), bomb(keys: "? *a40\n: 1\n"), bomb(keys: "*a40 : 1\n"),
        bomb(keys: "{ *a40 : 1, [*a40]: 2 }: 3\n"),
        (0..<10_000).reduce(into: "a0: &a0 [x]\n") { $0 += "a\($1 + 1): &a\($1 + 1) [[[*a\($1)]]]\n" },
        String(repeating: "[", count: 900) + String(repeating: "]", count: 900),
        String(repeating: "[", count: 500_000), String(repeating: "{a: ", count: 200_000),
        String(repeating: "- ", count: 900), String(repeating: "? ", count: 900),
        String(repeating: "- ", count: 400_000),
        "a: " + String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
    ]

    private static func bomb(keys: String) -> String {
        (0..<40).reduce(into: "a0: &a0 [x, x]\n") { $0 += "a\($1 + 1): &a\($1 + 1) [*a\($1), *a\($1)]\n" } + keys
    }

    @Test(.timeLimit(.minutes(1)), arguments: bombs)
    func survivesBombs(text: String) {
        let found = problems(text)
        let isBounded = found.contains { problem in
            ["after its aliases are expanded", "nested levels", "nesting level", "a key must be plain text"].contains {
                problem.contains($0)
            }
        }
        #expect(isBounded, "\(found.prefix(3))")
    }

    @Test func stopsAtTheNestingLimitOnASmallStack() async {
        let text = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        let found = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: problems(text)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(found == ["1:33: more than 32 nested levels"])
    }

    @Test(.timeLimit(.minutes(1)))
    func boundsTheWorkForDuplicateKeys() {
        let text = String(repeating: "a: 1\n", count: 200_000)
        #expect(problems(text).first?.contains("the key \"a\" is given more than once") == true)
    }
}
