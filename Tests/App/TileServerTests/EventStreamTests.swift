import Configuration
import Foundation
import HTTPServer
import MapGeometry
import TestSupport
import Testing

@testable import MapService
@testable import TileServer

/// Tests of `GET /events`: server-sent events (WHATWG HTML 9.2).
@Suite(.blocking) struct EventStreamTests {
    private struct Listener {
        let client: RawClient
        let head: String
        /// The position that the first lines of the stream contain.
        let id: String

        init(_ endpoint: Endpoint, after id: String? = nil, receiveBuffer: Int32? = nil) throws {
            client = try RawClient(port: endpoint.server.port, receiveBuffer: receiveBuffer)
            try client.send(RawClient.request("GET", "/events", id.map { ["Last-Event-ID: \($0)"] } ?? []))
            head = try client.read(until: "\r\n\r\n")
            _ = try client.read(until: "id: ")
            self.id = String(try client.read(until: "\n\n").dropLast(2))
        }

        /// Returns the ID and the members of the next event.
        func event() throws -> (id: String, members: [String: any Sendable & Equatable]) {
            _ = try client.read(until: "id: ")
            let id = String(try client.read(until: "\n").dropLast())
            _ = try client.read(until: "data: ")
            return (id, try members(try client.read(until: "\n\n")))
        }

        private func members(_ text: String) throws -> [String: any Sendable & Equatable] {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            var members: [String: any Sendable & Equatable] = [:]
            for (name, value) in object {
                if let number = value as? NSNumber, !(value is Bool) { members[name] = number.doubleValue }
                if let flag = value as? Bool, !["generation"].contains(name) { members[name] = flag }
                if let text = value as? String { members[name] = text }
                if let numbers = value as? [NSNumber] { members[name] = numbers.map(\.doubleValue) }
            }
            return members
        }

        /// Returns the members of the next event in one line, without its generation.
        func line() throws -> String {
            try event().members.filter { $0.key != "generation" }.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
    }

    private func withServer(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withEndpoint(
            .socket, CountingLayer(),
            {
                $0.maps = [LayerSettings(id: "map", source: .map(MapSource(layers: [MapLayer(id: "test")])))]
                change(&$0)
            }, body)
    }

    @Test func beginsWithAPositionAndReportsClears() async throws {
        try await withServer { (endpoint: Endpoint) async throws in
            let listener = try Listener(endpoint)
            #expect(listener.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            for field in [
                "Content-Type: text/event-stream", "Cache-Control: no-store", "X-Accel-Buffering: no",
                "Access-Control-Allow-Origin: *", "Transfer-Encoding: chunked", "X-Content-Type-Options: nosniff",
            ] { #expect(listener.head.contains("\r\n\(field)\r\n"), "\(field)") }

            let generation = try #require(try await endpoint.delete("/admin/cache/test").json?["generation"] as? Int)
            let event = try listener.event()
            #expect(event.id != listener.id && event.members["generation"] as? Double == Double(generation))
            #expect(event.members["type"] as? String == "clear" && event.members["layer"] as? String == "test")
            #expect(try listener.line() == "layer=map soft=false type=clear")
            _ = try await endpoint.delete("/admin/cache/test/3/2/1")
            #expect(try listener.line() == "layer=test soft=false tile=[3.0, 2.0, 1.0] type=clear")
            #expect(try listener.line() == "layer=map soft=false tile=[3.0, 2.0, 1.0] type=clear")
            _ = try await endpoint.delete("/admin/cache/test?bbox=-10.5,20,30,45.25&zoom=2-4&soft=1")
            #expect(
                try listener.line()
                    == "bbox=[-10.5, 20.0, 30.0, 45.25] layer=test soft=true type=clear zoom=[2.0, 4.0]")
            #expect(
                try listener.line()
                    == "bbox=[-10.5, 20.0, 30.0, 45.25] layer=map soft=false type=clear zoom=[2.0, 4.0]")
            _ = try await endpoint.delete("/admin/cache")
            #expect(try listener.line() == "layer=* soft=false type=clear")
        }
    }

    @Test func reportsAReloadAfterItTakesEffect() async throws {
        try await withServer({ $0.server.reactors = 2 }) { (endpoint: Endpoint) async throws in
            let listener = try Listener(endpoint)
            var configuration = endpoint.server.configuration
            for round in 0..<20 {
                configuration.layers.append(
                    LayerSettings(
                        id: "new\(round)", source: .generator(.solid(color: .init(red: 1, green: 2, blue: 3)))))
                try endpoint.server.reload(configuration)
                #expect(try listener.line() == "change=added layer=new\(round) type=layer")
                #expect(try await endpoint.get("/new\(round).json").status == 200)
            }
        }
    }

    @Test func repeatsMissedEvents() async throws {
        try await withServer { (endpoint: Endpoint) async throws in
            let first = try Listener(endpoint)
            _ = try await endpoint.delete("/admin/cache/test")
            let seen = try (0..<2).map { _ in try first.event().id }
            first.client.hangUp()
            _ = try await endpoint.delete("/admin/cache/test/1/0/0")
            // A listener that got no events has missed all events since its first position.
            for (id, count) in [(first.id, 4), (seen[0], 3), (seen[1], 2)] {
                let again = try Listener(endpoint, after: id)
                #expect(again.id == id)
                let lines = try (0..<count).map { _ in try again.line() }
                #expect(lines.last == "layer=map soft=false tile=[1.0, 0.0, 0.0] type=clear")
            }
            let last = try Listener(endpoint, after: try Listener(endpoint).id)
            _ = try await endpoint.delete("/admin/cache")
            #expect(try last.line() == "layer=* soft=false type=clear")
        }
    }

    /// These are more events than the server may hold for a client that does not read.
    @Test func repeatsAllKeptEvents() async throws {
        try await withServer({ $0.maps = [] }) { (endpoint: Endpoint) async throws in
            let start = try Listener(endpoint)
            let table = endpoint.server.service.served.table
            for number in 0..<1_000 {
                let tile = try #require(TileCoordinate(z: 10, x: number, y: 1))
                await endpoint.server.service.clear(.tile(tile), of: table.layers, in: table)
            }
            let again = try Listener(endpoint, after: start.id, receiveBuffer: 4_096)
            for number in 0..<1_000 {
                #expect(try again.line() == "layer=test soft=false tile=[10.0, \(Double(number)), 1.0] type=clear")
            }
            _ = try await endpoint.delete("/admin/cache/test")
            #expect(try again.line() == "layer=test soft=false type=clear")
        }
    }

    @Test func sendsAResetForAnUnknownPosition() async throws {
        try await withServer { (endpoint: Endpoint) async throws in
            let start = try Listener(endpoint)
            for id in ["other-1", "x", start.id + "0", "-", String(repeating: "9", count: 4_000)] {
                let listener = try Listener(endpoint, after: id)
                let (reset, members) = try listener.event()
                #expect(members["type"] as? String == "reset" && members.count == 1)
                #expect(reset == start.id && listener.id == start.id)
            }
            let table = endpoint.server.service.served.table
            for _ in 0...EventHistory.most / 2 { await endpoint.server.service.clear(of: [table.layers[0]], in: table) }
            let late = try Listener(endpoint, after: start.id)
            #expect(try late.line() == "type=reset")
            _ = try await endpoint.delete("/admin/cache")
            // Before the new event, the listener gets the events of the ring buffer that it has missed.
            let clear = "layer=* soft=false type=clear"
            #expect(try (0...EventHistory.most).contains { _ in try late.line() == clear })
        }
    }

    @Test(arguments: Way.allCases) func acceptsGETAndHEADOnly(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let head = try await endpoint.ask("HEAD", "/events")
            #expect(head.status == 200 && head["content-type"] == "text/event-stream")
            #expect(endpoint.server.router.events.count == 0)
            let options = try await endpoint.ask("OPTIONS", "/events")
            #expect(options.status == 204 && options["allow"] == "GET, HEAD, OPTIONS")
            for method in ["POST", "DELETE", "PUT"] {
                let refused = try await endpoint.ask(method, "/events")
                #expect(refused.status == 405 && refused["allow"] == "GET, HEAD, OPTIONS")
            }
            #expect(try await endpoint.get("/events/").problem == "unknown-route")
        }
    }

    @Test func refusesListenersBeyondTheLimit() async throws {
        try await withServer({ $0.server.limits.listeners = 2 }) { (endpoint: Endpoint) async throws in
            let held = try (0..<2).map { _ in try Listener(endpoint) }
            let refused = try await endpoint.get("/events")
            #expect(refused.status == 503 && refused.problem == "too-many-listeners")
            #expect(refused["retry-after"] == "60" && refused["cache-control"] == "no-store")
            #expect(refused["access-control-allow-origin"] == "*" && refused["connection"] == nil)
            held[0].client.vanish()
            #expect(await eventually { endpoint.server.router.events.count == 1 })
            let next = try Listener(endpoint)
            _ = try await endpoint.delete("/admin/cache")
            for listener in [held[1], next] { #expect(try listener.line() == "layer=* soft=false type=clear") }
        }
    }

    @Test func endsWithTheServer() async throws {
        try await withServer({ $0.server.limits.drain = .seconds(3_600) }) { (endpoint: Endpoint) async throws in
            let listener = try Listener(endpoint)
            await endpoint.server.stop()
            let (bytes, end) = try listener.client.readToEnd()
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("0\r\n\r\n") && end == .closed)
            #expect(endpoint.server.router.events.count == 0)
        }
    }

    @Test func deliversTheSameEventsToAProgram() async throws {
        try await withServer { (endpoint: Endpoint) async throws in
            let (server, listener) = (endpoint.server, try Listener(endpoint))
            var events = server.events().makeAsyncIterator()
            try await server.clear("test")
            try await server.change("test") { $0.opacity = 0.5 }
            var ids: [String] = []
            var kinds: [TileServerEvent.Kind] = []
            for _ in 0..<4 {
                let event = try #require(await events.next())
                ids.append(event.id)
                kinds.append(event.kind)
            }
            #expect(try (0..<4).map { _ in try listener.event().id } == ids)
            guard case .cleared(let area) = kinds[0] else { throw RawClient.Failure.timeout }
            #expect(area.layer == "test" && area.bounds == nil && !area.isSoft)
            #expect(
                kinds[2...] == [
                    .changed(LayerChange(layer: "test", kind: .changed)),
                    .changed(LayerChange(layer: "map", kind: .changed)),
                ])
            var later = server.events(after: ids[2]).makeAsyncIterator()
            #expect(await later.next()?.id == ids[3])
            await server.stop()
            #expect(await later.next() == nil)
            #expect(await events.next() == nil)
        }
    }
}
