import MapGeometry
import MapService
import TileCache

extension FuzzTarget {
    /// Reads an expire list in pieces. The first byte gives the size of the pieces, which must not change the result.
    static func readExpireList(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let text = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        let whole = read(text, by: max(text.count, 1))
        check(whole == read(text, by: Int(first) + 1), "another list in pieces")
        guard let tiles = whole, let set = TileSet(tiles) else { return }
        check(tiles.allSatisfy { set.contains($0) }, "a tile of the list is not in the set")
        check(TileSet(encoded: set.encoded) == set, "another set after it was bytes")
    }

    private static func read(_ text: UnsafeRawBufferPointer, by count: Int) -> [TileCoordinate]? {
        var list = ExpireList()
        for start in stride(from: 0, to: text.count, by: count) {
            list.take(UnsafeRawBufferPointer(rebasing: text[start..<min(start + count, text.count)]))
        }
        do throws(ExpireList.ListError) {
            try list.finish()
            return list.tiles
        } catch {
            return nil
        }
    }

    /// Reads a tile set. The bytes must be the only encoding of the set.
    static func readTileSet(_ bytes: UnsafeRawBufferPointer) {
        guard let set = TileSet(encoded: bytes) else { return }
        check(set.encoded == Array(bytes), "a set has two encodings")
        let widened = set.widened(by: 2)
        check(set.count == 0 || widened.count > 0, "a widened set is empty")
        for chunk in set.chunks(ofBytes: 64) { check(chunk.encoded.count <= 64, "a chunk is too large") }
    }
}
