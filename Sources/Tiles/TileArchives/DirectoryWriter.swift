import Bytes
import CLinux
import Files
import Glibc
import MapGeometry
import Raster
import Tiles

/// A writer of tiles into a directory. The path of a tile is `{z}/{x}/{y}` and the suffix of the image format, such as
/// `3/4/2.png`. Row 0 is the northernmost row. The writer writes each tile to a temporary file, and then renames the
/// file, so a web server never sends a part of a tile. `finish` writes `tilejson.json` after all tiles. In a new
/// directory, the export is complete when `tilejson.json` exists.
///
/// Equal images are separate files, and not hard links to one file, for three reasons. A program that edits a linked
/// file would change all equal tiles. Many programs that copy directories do not keep hard links. A file system limits
/// the number of links to a file (ext4: 65,000), and an export can have more equal tiles, for example of the sea.
package struct DirectoryWriter: TileArchiveWriter {
    private let path: String
    private let format: ImageFormat
    /// True if the directory was empty when the writer was created. All tiles in the directory then come from this
    /// writer.
    private let isOwn: Bool
    private var order = TileOrder()
    private var column: (z: Int, x: Int)?
    private var isClosed = false

    /// Creates the directory at `path` if the directory does not exist. The parent directory must exist. `format` is
    /// the image format of the tiles. Throws `notEmpty` if the directory has files and `replaces` is false. If
    /// `replaces` is true, an exported tile replaces an existing file with the tile's path, and all other files stay.
    package init(path: String, replaces: Bool, format: ImageFormat) throws {
        (self.path, self.format) = (path, format)
        try Self.makeDirectory(path)
        isOwn = try Self.isEmpty(path)
        guard isOwn || replaces else { throw TileArchiveError.notEmpty(path: path) }
    }

    package mutating func append(_ tile: TileCoordinate, _ image: SharedBytes) throws {
        guard !isClosed else { throw TileArchiveError.closed(path: path) }
        try order.check(tile)
        if column.map({ $0 != (tile.z, tile.x) }) ?? true {
            try Self.makeDirectory("\(path)/\(tile.z)")
            try Self.makeDirectory("\(path)/\(tile.z)/\(tile.x)")
            column = (tile.z, tile.x)
        }
        try write(image.buffer, to: "\(path)/\(tile).\(format.suffix)")
    }

    package mutating func finish(_ description: SourceDescription) throws {
        guard !isClosed else { throw TileArchiveError.closed(path: path) }
        let document = try ArchiveTileJSON.document(description, format: format, zooms: order.zooms)
        try sync()
        let draft = try ArchiveDraft(target: "\(path)/\(ArchiveTileJSON.name)", replaces: true)
        try draft.append(document)
        try draft.place()
        isClosed = true
    }

    /// Removes the written tiles and the directory if the directory was empty at the start. Otherwise removes nothing,
    /// because the writer cannot restore tiles that were replaced. Does nothing after `finish` or an earlier `discard`.
    package mutating func discard() {
        guard !isClosed else { return }
        isClosed = true
        guard isOwn else { return }
        for z in order.zooms.map({ Array($0) }) ?? [] {
            for x in Self.names("\(path)/\(z)") where Self.isNumber(x[...]) {
                removeColumn("\(path)/\(z)/\(x)")
            }
            rmdir("\(path)/\(z)")
        }
        rmdir(path)
    }

    private func removeColumn(_ column: String) {
        // The name of a draft begins with the name of its tile.
        for name in Self.names(column) where Self.isNumber(name.prefix { $0 != "." }) {
            unlink("\(column)/\(name)")
        }
        rmdir(column)
    }

    /// Writes `bytes`, the image of a tile, to the path `target`. Does not sync the file to the disk, because a sync
    /// takes milliseconds. `finish` syncs all tiles at once.
    private func write(_ bytes: UnsafeRawBufferPointer, to target: String) throws(TileArchiveError) {
        do throws(FileError) {
            let draft = try FileDraft(bytes, beside: target, mode: 0o666)
            try draft.replace(target)
            close(draft.descriptor)
        } catch {
            throw .unwritable(path: target, error)
        }
    }

    /// Forces all tiles to the disk.
    private func sync() throws(TileArchiveError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .unwritable(path: path, .system(call: "open", errno: errno)) }
        defer { close(directory) }
        guard linux_sync_filesystem(directory) == 0 else {
            throw .unwritable(path: path, .system(call: "syncfs", errno: errno))
        }
    }

    private static func makeDirectory(_ path: String) throws(TileArchiveError) {
        guard mkdir(path, 0o777) != 0 else { return }
        let code = errno
        var status = stat()
        guard code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .unwritable(path: path, .system(call: "mkdir", errno: code == EEXIST ? ENOTDIR : code))
        }
    }

    /// Reports whether a directory has no files.
    static func isEmpty(_ path: String) throws(TileArchiveError) -> Bool {
        guard let directory = opendir(path) else {
            throw .unwritable(path: path, .system(call: "opendir", errno: errno))
        }
        defer { closedir(directory) }
        while let entry = readdir(directory) { if let _ = name(entry) { return false } }
        return true
    }

    /// Returns the names of the files and directories in the directory at `path`. Returns an empty list if the
    /// directory cannot be read. The directory of a column (`{z}/{x}`) has at most 2^30 names. In practice the disk is
    /// full before the list becomes too large for memory.
    private static func names(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) { name(entry).map { names.append($0) } }
        return names
    }

    /// Returns the name of `entry`, a file or directory that `readdir` has found. Returns nil for `.` (the directory
    /// itself) and `..` (its parent).
    private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String? {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        return name == "." || name == ".." ? nil : name
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
