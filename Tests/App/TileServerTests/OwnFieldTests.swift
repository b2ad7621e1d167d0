import Tiles
import Foundation
import Raster
import TestSupport
import Testing

@testable import TileServer

/// Tests of `Access-Control-Expose-Headers`: a page of another origin can read only exposed fields (Fetch 3.3.6).
@Suite(.blocking) struct OwnFieldTests {
    private func exposed(_ response: RawResponse) -> Set<String> {
        let names = response["access-control-expose-headers"]?.lowercased().split(separator: ",") ?? []
        return Set(names.map { $0.trimmingCharacters(in: .whitespaces) })
    }

    private static let picture: TileResult = {
        do {
            return .tile(try Tile(encoding: Pixmap(width: 256, height: 256)))
        } catch {
            return .unavailable(.failed)
        }
    }()

    @Test(arguments: Way.allCases) func exposesTheFieldsOfEveryResponse(way: Way) async throws {
        try await withEndpoint(way, CountingLayer { _, _, _ in Self.picture }) { (endpoint: Endpoint) async throws in
            var seen: Set<String> = []
            let targets = [
                "/test/1/0/0.png", "/test/1/0/0@2x.png", "/test/9/0/0.png", "/test/1/5/0.png", "/other/1/0/0.png",
                "/test.json",
                "/test/static/0,0,1/64x64.png", "/test/static/0,0,40@0,90/64x64.png", "/health", "/",
            ]
            for target in targets {
                let answer = try await endpoint.get(target)
                let own = Set(answer.fields.map(\.name).filter { $0.hasPrefix("x-") }).subtracting(["x-request-id"])
                #expect(own.isSubset(of: exposed(answer)), "\(target): \(own)")
                seen.formUnion(own)
            }
            #expect(seen.isSuperset(of: ["x-tile", "x-camera", "x-camera-clamped", "x-render-status"]), "\(seen)")
        }
    }

    /// The test searches the source files, so a new field is not forgotten.
    @Test func exposesEveryFieldInTheSources() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        // nginx removes the last field from the response, so it is not exposed.
        let known = Set(OwnField.allCases.map(\.rawValue) + ["X-Accel-Buffering"])
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /"(X-[A-Za-z-]+)[":]/) {
                #expect(known.contains(String(match.1)), "\(file.lastPathComponent)")
                found.insert(String(match.1))
            }
        }
        #expect(found == known)
    }
}
