import Foundation
import Generators
import Testing
import Text

@testable import Configuration

/// The fonts of the process are part of what determines a tile with letters. The suite runs alone, because the fonts
/// belong to the process.
@Suite(.serialized) struct FontIdentityTests {
    @Test func changesTheIdentityOfLayersWithLetters() throws {
        let sources: [GeneratorSource] = [
            .grid(color: .black, background: .white), .graticule(color: .black, background: .white),
            .world(colors: WorldColors()), .solid(color: .black),
        ]
        let before = sources.map(\.identity)
        let old = FontList.process
        defer { old.use() }
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Picture/TextTests/Fixtures").path
        try FontList(["\(fixtures)/collection.ttc"]) { _ in }.use()
        let changed = zip(before, sources).map { $0 != $1.identity }
        #expect(changed == [true, true, true, false])
    }
}
