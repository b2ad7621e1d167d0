/// What the map shows, as scripts/make-world wrote it: base64 of the bytes that `WorldDecoder` reads, and a table of
/// towns.
///
/// Coarse is Natural Earth's 1:110m, fine its 1:50m.
enum WorldData {
    /// Units a side of the world in the data.
    static let grid = 1 << 17
}
