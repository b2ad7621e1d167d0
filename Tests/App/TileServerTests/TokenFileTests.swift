import Configuration
import EventLog
import Foundation
import Logging
import TestSupport
import Testing

@testable import TileServer

/// Tests of the token file, which belongs to one running server (docs/guides/clear.md).
@Suite(.blocking) struct TokenFileTests {
    private func publish(_ directory: TemporaryDirectory, port: Int) throws -> AdminToken {
        try Self.publish(directory.path, port: port)
    }

    private static func publish(_ directory: String, port: Int) throws -> AdminToken {
        let token = AdminToken(madeFor: directory)
        try token.publish(port: port)
        return token
    }

    private func read(_ directory: TemporaryDirectory, port: Int) throws -> PublishedToken {
        try #require(try PublishedToken.candidates(in: directory.path, port: port).first)
    }

    @Test func keepsTheFileOfARunningServer() throws {
        let directory = try TemporaryDirectory()
        let first = try publish(directory, port: 8_080)
        let second = try publish(directory, port: 8_081)
        #expect(first.file == "\(directory.path)/admin-token" && second.file == "\(directory.path)/admin-token-8081")
        for (token, port) in [(first, 8_080), (second, 8_081), (first, 8_082)] {
            let found = try read(directory, port: port)
            #expect(found.text == token.text && found.file == token.file && found.isHeld)
        }
        // The port is the same as that of a running server at another address. The two servers cannot share a file
        // name.
        #expect(throws: AdminTokenError.self) { try publish(directory, port: 8_081) }
        #expect(try read(directory, port: 8_081).text == second.text)
        // This server has another address than the first, or runs in another container. A client learns from the
        // response which token is right.
        let third = try publish(directory, port: 8_080)
        #expect(third.file == "\(directory.path)/admin-token-8080")
        let candidates = try PublishedToken.candidates(in: directory.path, port: 8_080)
        #expect(candidates.map(\.text) == [third.text, first.text])
        withExtendedLifetime((first, second, third)) {}
    }

    @Test func takesTheFileOfAnEndedServer() throws {
        let directory = try TemporaryDirectory()
        let first = try publish(directory, port: 8_080)
        var second: AdminToken? = try publish(directory, port: 8_081)
        first.release()
        #expect(try !read(directory, port: 8_080).isHeld)
        second = nil
        let third = try publish(directory, port: 8_081)
        // The file of the ended second server is not mistaken for the file of the third.
        #expect(third.file == first.file && second == nil)
        let found = try read(directory, port: 8_081)
        #expect(found.text == third.text && found.isHeld)
        third.withdraw()
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/admin-token"))
    }

    /// A link never belongs to a server. The link is replaced, and its target stays unchanged.
    @Test func replacesALink() throws {
        let directory = try TemporaryDirectory()
        let other = directory.path + "/other"
        try Data("mine".utf8).write(to: URL(filePath: other))
        symlink(other, directory.path + "/admin-token")
        let token = try publish(directory, port: 1)
        #expect(try read(directory, port: 1).text == token.text)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    }

    /// The link is replaced, and the device that is its target stays unchanged.
    @Test func replacesALinkToADevice() throws {
        let directory = try TemporaryDirectory()
        symlink("/dev/null", directory.path + "/admin-token")
        let token = try publish(directory, port: 1)
        #expect(try read(directory, port: 1).text == token.text && token.file == "\(directory.path)/admin-token")
        var status = stat()
        #expect(lstat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    /// A pipe stays in its place. Without a reader, the token is not written. With a reader, the token is written into
    /// the pipe. The server does not wait.
    @Test(arguments: [false, true]) func leavesAPipeInPlaceOfTheFile(isRead: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/admin-token"
        try #require(mkfifo(path, 0o600) == 0)
        let reader = isRead ? open(path, O_RDONLY | O_NONBLOCK) : -1
        defer { if isRead { close(reader) } }
        let token = AdminToken(madeFor: directory.path)
        let special = try #require(try token.publish(port: 1))
        #expect(special.path == path && special.kind == .pipe && (special.fault == nil) == isRead)
        #expect(token.file == nil && token.isMade)
        if isRead {
            var bytes = [UInt8](repeating: 0, count: 64)
            #expect(Glibc.read(reader, &bytes, 64) == 33)
            #expect(String(decoding: bytes[..<32], as: UTF8.self) == token.text)
        }
        let error = #expect(throws: AdminTokenError.self) { try read(directory, port: 1) }
        #expect(
            error.map { "\($0)" }
                == "\(path): expected a regular file, found a pipe; set admin.token or cache.directory")
        token.withdraw()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["admin-token"])
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    /// No program can open a socket as a file, so the token is not written.
    @Test func leavesASocketInPlaceOfTheFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/admin-token"
        try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        let special = try #require(try AdminToken(madeFor: directory.path).publish(port: 1))
        #expect(special.kind == .socket && special.fault == .notRegular(.socket))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK)
    }

    /// The server runs, logs the pipe in one line, and keeps its token over a reload.
    @Test func runsWithoutATokenFile() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/admin-token"
        try #require(mkfifo(path, 0o600) == 0)
        var configuration = Configuration(layers: [])
        configuration.server.port = 0
        configuration.server.reactors = 1
        configuration.cache.directory = directory.path
        let lines = LogLines()
        let server = try TileServer(configuration: configuration, log: lines.log)
        #expect(server.tokenFile == nil)
        #expect(try RawClient(port: server.port).get("/health").status == 200)
        try server.reload(configuration)
        let said = lines.all.filter { $0.contains("token_unpublished") }
        #expect(said.count == 1)
        #expect(said.first?.contains("\(path) is a pipe; the token was not written: no program reads the pipe") == true)
        await server.stop()
    }

    /// Servers may start at the same time, as after a power failure. Each gets its own file, whatever file was there
    /// before.
    @Test(arguments: [false, true]) func writesAFileForEachConcurrentServer(isStale: Bool) async throws {
        for _ in 0..<20 {
            let directory = try TemporaryDirectory()
            if isStale { try publish(directory, port: 1).release() }
            let path = directory.path
            let tokens = try await withThrowingTaskGroup { group in
                for port in 1...4 { group.addTask { (port, try Self.publish(path, port: port)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(tokens.map(\.1.file)).count == 4)
            for (port, token) in tokens { #expect(try read(directory, port: port).text == token.text) }
            // No temporary file stays behind.
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 4)
        }
    }

    @Test func separatesTokensOfServersInOneDirectory() async throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration(layers: [])
        configuration.server.port = 0
        configuration.server.reactors = 1
        configuration.cache.directory = directory.path
        configuration.admin.hosts = ["test"]
        let log = EventLog(logger: .silent)
        let first = try TileServer(configuration: configuration, log: log)
        let second = try TileServer(configuration: configuration, log: log)
        func status(_ server: TileServer, _ port: Int) throws -> Int {
            let token = try read(directory, port: port).text
            return try RawClient(port: server.port).get("/admin/cache", ["Authorization: Bearer \(token)"]).status
        }
        #expect(try status(first, first.port) == 200 && status(second, second.port) == 200)
        #expect(try status(first, second.port) == 401)
        #expect(second.tokenFile == "\(directory.path)/admin-token-\(second.port)")
        await first.stop()
        // The name of the first file is free, and the second server keeps its own file.
        let third = try TileServer(configuration: configuration, log: log)
        #expect(try status(third, third.port) == 200 && status(second, second.port) == 200)
        #expect(third.tokenFile == "\(directory.path)/admin-token")
        await second.stop()
        await third.stop()
    }
}
