import Configuration
import TestSupport
import Testing

struct FuzzTests {
    private static let sample = """
        server: { host: "::1", port: 80, trustedProxies: [10.0.0.0/8], limits: { head: 32KiB, drain: 10s } }
        admin:
          token: ${TOKEN:-x}
        layers: # all of them
          a: &a { url: 'x{z}', values: { f: 1, g: "\\u00e9" }, subdomains: abc, headers: { X-Y: z } }
          b: { generator: checkerboard, colors: ["#fff", "#00000080"], cells: 8, bounds: [170, -1.5, -170, 1e1] }
          c: *a
          ? d
          : { generator: grid, description: |
        """

    @Test(arguments: 0..<8 as Range<UInt64>)
    func reportsProblemsOfRandomDocumentsOnOneLine(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = Array("{}[]:,&*!|>'\"%@`#-?\n\t $~0\\é\u{FEFF}\u{F0000}\u{2028}".unicodeScalars)
        for _ in 0..<250 {
            var text = Array(Self.sample.unicodeScalars)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = text.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.remove(at: index)
                case 1: text[index] = pieces.randomElement(using: &random) ?? " "
                case 2: text.insert(pieces.randomElement(using: &random) ?? " ", at: index)
                default: text += text[index...].prefix(40)
                }
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: text)
            for problem in problems(String(view)) {
                #expect(problem.hasPrefix("t.yaml:") && !problem.utf8.contains(0x0A), "\(problem)")
                #expect(!problem.unicodeScalars.contains("\u{F0000}"), "\(problem)")
            }
        }
    }
}
