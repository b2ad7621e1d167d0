import Foundation
import TestSupport
import Testing

/// Exports onto a full disk. The disk is a tmpfs of 200 KiB in a mount namespace of its own, which needs root or a
/// kernel that allows user namespaces. The tests are skipped elsewhere.
@Suite(.blocking) struct FullDiskTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
        try "layers: { grid: { generator: grid } }\ncache: { directory: \(directory.path)/cache }".write(
            toFile: "\(directory.path)/c.yaml", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: "\(directory.path)/disk", withIntermediateDirectories: true)
    }

    /// The words of `unshare` that make a mount namespace here. Nil if there can be none.
    private static let namespace: [String]? = [["--mount"], ["--mount", "--map-root-user"]].first { words in
        let mounts = "mkdir -p \"$0\" && mount -t tmpfs none \"$0\""
        let place = FileManager.default.temporaryDirectory.appending(path: "namespace-\(UUID())").path
        // A directory left behind in the temporary directory harms no test.
        defer { try? FileManager.default.removeItem(atPath: place) }
        return (try? run(words, mounts, place))?.hasPrefix("status 0") ?? false
    }

    /// Runs a script with the tools of the shell in a new mount namespace. Returns its lines of both streams, with the
    /// status as the first one.
    private static func run(_ namespace: [String], _ script: String, _ words: String...) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        // An export onto a full disk has 341 tiles at most, so the script ends long before this time.
        process.arguments = ["timeout", "-k", "5", "120", "unshare"] + namespace + ["sh", "-c", script] + words
        (process.standardOutput, process.standardError) = (pipe, pipe)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return "status \(process.terminationStatus)\n" + String(decoding: output, as: UTF8.self)
    }

    /// Exports 341 tiles with more than 350 KiB to `target`, after the commands `before`. Then runs the commands
    /// `after`.
    private func export(to target: String, before: String, after: String) throws -> String {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(filePath: executable).deletingLastPathComponent().appending(path: "tileserver").path
        return try Self.run(
            #require(Self.namespace),
            """
            mount -t tmpfs -o size=200k none "$1/disk" && cd "$1/disk" || exit 1
            \(before)
            "$2" export grid --config ../c.yaml --zooms 0-4 --to "$3" --replace; status=$?
            \(after)
            exit $status
            """, "sh", directory.path, program, target)
    }

    @Test(.enabled(if: namespace != nil), arguments: ["a.pmtiles", "a.mbtiles", "a.zip"])
    func keepsTheOldFile(_ target: String) throws {
        let done = try export(to: target, before: "printf old > \"$3\"", after: "echo; ls -A; cat \"$3\"")
        let lines = done.split(separator: "\n")
        #expect(lines.first == "status 74" && lines.suffix(2) == [Substring(target), "old"], "\(done)")
        // The target alone is left.
        #expect(lines.count { $0.contains(target) && !$0.contains("tileserver: ") } == 1, "\(done)")
        let error = try #require(lines.first { $0.hasPrefix("tileserver: ") })
        #expect(error.hasPrefix("tileserver: \(target) cannot be written: "), "\(done)")
        #expect(error.contains("No space left on device") || error.contains("disk is full"), "\(done)")
    }

    @Test(.enabled(if: namespace != nil), arguments: ["a.pmtiles", "a.mbtiles", "a.zip", "a/"])
    func leavesNothing(_ target: String) throws {
        let done = try export(to: target, before: "", after: "ls -A | sed 's/^/left: /'")
        #expect(done.hasPrefix("status 74\n") && !done.contains("left: "), "\(done)")
        #expect(done.contains("No space left on device") || done.contains("disk is full"), "\(done)")
    }

    /// A directory keeps the tiles that were written, each whole, and its old document.
    @Test(.enabled(if: namespace != nil)) func keepsWholeFilesOfADirectory() throws {
        let done = try export(
            to: "a/", before: "mkdir a; printf old > a/tilejson.json",
            after: """
                cat a/tilejson.json; echo
                find a -type f ! -name '*.png' | sed 's/^/other: /'
                find a -name '*.png' | while read file; do
                    tail -c 8 "$file" | grep -q IEND && echo whole || echo "damaged: $file"
                done
                """)
        #expect(done.hasPrefix("status 74\n") && done.contains("old\n") && done.contains("whole\n"), "\(done)")
        #expect(done.contains("other: a/tilejson.json\n") && !done.contains("damaged: "), "\(done)")
        #expect(done.components(separatedBy: "other: ").count == 2, "\(done)")
    }
}
