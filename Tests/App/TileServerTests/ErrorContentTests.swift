import Bytes
import Configuration
import Raster
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of errors for an `<img>` of another origin. A browser hides JSON from such a page, so the error is in a
/// header field.
@Suite(.blocking) struct ErrorContentTests {
    private static let image = ["Sec-Fetch-Dest: image"]

    /// A layer whose tiles are missing, late, corrupt or available, by zoom.
    private let layer = CountingLayer { zoom, _, _ in
        switch zoom {
        case 1: .noTile
        case 2: .unavailable(.timeout)
        case 3: .unavailable(.corrupt)
        default: .tile(Tile("bytes"))
        }
    }

    /// `#` stands for a number, because a repeated request gets the cached error.
    private static let errors: [(target: String, status: Int, code: String)] = [
        ("/test/1/0/0.png", 404, "no-tile"), ("/test/23/0/0.png", 404, "no-tile"),
        ("/test/2/#/0.png", 504, "upstream-timeout"), ("/test/3/#/0.png", 500, "tile-corrupt"),
        ("/test/1/0/9.png", 400, "bad-coordinates"), ("/test/1/0/0.tiff", 400, "unsupported-format"),
        ("/test/1/0/0@9x.png", 400, "unsupported-scale"), ("/test/1/0/0.png?empty=3", 400, "bad-empty"),
        ("/test/1/0/%30.png", 404, "no-tile"), ("/test/1/0/%3.png", 400, "bad-encoding"),
        ("/other/1/0/0.png", 404, "unknown-layer"), ("/test/static/0,0/64x64.png", 400, "bad-camera"),
        ("/test/static/0,0,2/64x64.png?partial=false", 503, "unavailable"),
        ("/somewhere/else.png", 404, "unknown-route"),
    ]

    @Test(arguments: Way.allCases) func sendsAnErrorWithoutContentForAnImage(way: Way) async throws {
        try await withEndpoint(way, layer) { endpoint in
            for (target, status, code) in Self.errors {
                let plain = try await endpoint.get(target.replacing("#", with: "0"))
                #expect(plain.status == status && plain.problem == code, "\(target)")
                #expect(plain["x-problem"] == code, "\(target)")
                // The second request may get the error from the cache.
                for number in 1...2 {
                    let bare = try await endpoint.get(target.replacing("#", with: "\(number)"), Self.image)
                    #expect(bare.status == status && bare.body.isEmpty && bare["content-length"] == "0", "\(target)")
                    #expect(bare["x-problem"] == code, "\(target)")
                    #expect(bare["content-type"] == nil && bare["etag"] == nil, "\(target)")
                    for name in ["x-tile-status", "access-control-allow-origin", "retry-after"] {
                        #expect(bare[name] == plain[name], "\(target) \(name)")
                    }
                    #expect(bare["access-control-expose-headers"]?.contains("X-Problem") == true)
                }
            }
        }
    }

    /// Errors depend on `Sec-Fetch-Dest` and list it in `Vary`. Otherwise a cache would give a script the error of an
    /// image. Tiles do not depend on it.
    @Test(arguments: Way.allCases) func listsSecFetchDestInVaryOfErrors(way: Way) async throws {
        try await withEndpoint(way, layer) { endpoint in
            for fields in [[], Self.image, ["Sec-Fetch-Dest: empty"]] {
                for (target, _, _) in Self.errors {
                    let vary = try await endpoint.get(target.replacing("#", with: "0"), fields)["vary"] ?? ""
                    #expect(vary.split(separator: ", ").contains("Sec-Fetch-Dest"), "\(target)")
                }
                for target in ["/test/4/0/0.png", "/test/1/0/0.png?empty=204", "/test/1/0/0.png?empty=transparent"] {
                    #expect(try await endpoint.get(target, fields)["vary"] == nil, "\(target)")
                }
                let admin = try await endpoint.get("/admin/cache", fields)
                #expect(admin.status == 401 && admin.problem == "unauthorized" && admin["vary"] == nil)
            }
        }
    }

    @Test(arguments: Way.allCases) func sendsAProblemForOtherDestinations(way: Way) async throws {
        try await withEndpoint(way, layer, { $0.layers[0].errors = .picture }) { endpoint in
            for destination in ["empty", "document", "images", "Image"] {
                let response = try await endpoint.get("/test/1/0/0.png", ["Sec-Fetch-Dest: \(destination)"])
                #expect(response.status == 404 && response.problem == "no-tile", "\(destination)")
            }
        }
    }

    @Test(arguments: Way.allCases) func sendsAPictureOfTheTilesSizeIfConfigured(way: Way) async throws {
        try await withEndpoint(way, layer, { $0.layers[0].errors = .picture }) { endpoint in
            var pictures: Set<[UInt8]> = []
            for (target, status, code) in Self.errors where target.hasPrefix("/test/") && !target.contains("static") {
                for number in 1...2 {
                    let response = try await endpoint.get(target.replacing("#", with: "\(number)"), Self.image)
                    #expect(response.status == status && response["x-problem"] == code, "\(target)")
                    // A path with a bad encoding names no layer, so no picture is configured.
                    guard code != "bad-encoding" else { continue }
                    #expect(response["content-type"] == "image/png" && response["etag"] == nil, "\(target)")
                    let pixmap = try ImageDecoder.decode(SharedBytes(response.body))
                    #expect(pixmap.width == 256 && pixmap.height == 256, "\(target)")
                    pictures.insert(pixmap.bytes)
                }
            }
            // There is one picture for each pair of status and code.
            #expect(pictures.count == 7)
            let large = try await endpoint.get("/test/1/0/0@2x.png", Self.image)
            #expect(large.status == 404)
            #expect(try ImageDecoder.decode(SharedBytes(large.body)).width == 512)
        }
    }

    @Test func sendsNoPictureForAStaticImage() async throws {
        try await withEndpoint(.memory, layer, { $0.layers[0].errors = .picture }) { endpoint in
            let response = try await endpoint.get("/test/static/0,0/64x64.png", Self.image)
            #expect(response.status == 400 && response.body.isEmpty)
        }
    }

    @Test(arguments: Way.allCases) func answersHEADLikeGET(way: Way) async throws {
        try await withEndpoint(way, layer) { endpoint in
            let head = try await endpoint.ask("HEAD", "/test/1/0/0.png", Self.image)
            #expect(head.status == 404 && head["content-length"] == "0" && head["x-problem"] == "no-tile")
        }
    }
}
