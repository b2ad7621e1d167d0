import Foundation
import Testing

/// Runs every input in `fuzz/corpus`: seeds, and inputs that made a target fail before.
@Suite struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "corpus")

    @Test(arguments: FuzzTarget.allCases)
    func survivesItsCorpus(target: FuzzTarget) throws {
        let directory = Self.corpus.appending(path: target.rawValue)
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files { try Data(contentsOf: file).withUnsafeBytes { target.run($0) } }
    }

    /// A directory without a target would never be used.
    @Test func everyDirectoryHasItsTarget() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(names) == Set(FuzzTarget.allCases.map(\.rawValue)))
    }
}
