import Glibc
import HTTPLimits
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// Sockets that another program, such as a service manager, has bound.
@Suite(.blocking) struct ListeningSocketTests {
    @Test func servesOnAllPassedSockets() async throws {
        let descriptors = try (0..<2).map { _ in try Address.listen(host: "127.0.0.1", port: 0) }
        let ports = descriptors.map(Address.port)
        // A service manager passes blocking sockets.
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFL, 0) }
        let sockets = try descriptors.map(ListeningSocket.init)
        #expect(sockets[0].host == "127.0.0.1")
        let lines = LogLines()
        let server = try HTTPServer(
            HTTPServer.Ports(plain: ("192.0.2.1", 1), sockets: sockets), reactors: [try Reactor(label: "test")],
            responder: EchoResponder(), limits: ServerLimits(), log: lines.log)
        #expect(server.port == ports[0])
        for port in ports { #expect(try RawClient(port: port).get("/a").text == "/a") }
        await server.stop()
        for port in ports { #expect(throws: RawClient.Failure.self) { try RawClient(port: port) } }
    }

    @Test func refusesDescriptorsThatDoNotListen() throws {
        let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let local = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let file = open("/dev/null", O_RDONLY)
        defer { for descriptor in [plain, datagrams, local, file] { close(descriptor) } }
        for descriptor in [plain, datagrams, local, file, -1] {
            #expect(throws: ListeningSocketError.self) { try ListeningSocket(descriptor: descriptor) }
        }
    }
}
