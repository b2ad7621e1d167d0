// swift-tools-version: 6.2
import PackageDescription

// The server needs Linux. Elsewhere this package is MapGeometry alone: without C and without dependencies.
// TILESERVER_GEOMETRY_ONLY=1 declares the same package on Linux; .ci/geometry builds it.
#if os(Linux)
    let geometryOnly = Context.environment["TILESERVER_GEOMETRY_ONLY"] == "1"
    let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
    let geometryOnly = true
    // CI does not build with the compilers of other systems, which may have other warnings.
    let strict: [SwiftSetting] = []
#endif

// Unoptimised code computes pixels some fifty times slower, and tests compute many pixels. Only scripts/test asks for
// this setting: other packages cannot depend on a package with such flags by its version.
let optimizes = Context.environment["TILESERVER_OPTIMIZE_PIXELS"] == "1"
let computing: [SwiftSetting] = optimizes ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []

/// The folders of Sources and of Tests. A room imports the rooms above it, and targets of its own that are declared
/// first.
enum Room: String {
    case kit = "Kit"
    case net = "Net"
    case picture = "Picture"
    case tiles = "Tiles"
    case features = "Features"
    case app = "App"
}

func target(
    _ room: Room, _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(room.rawValue)/\(name)",
        swiftSettings: strict + settings)
}

/// C that Swift cannot call, with the system's libraries.
func c(_ name: String, _ libraries: String..., exclude: [String] = []) -> Target {
    .target(
        name: name, path: "Sources/C/\(name)", exclude: exclude,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func tests(
    _ room: Room, _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + dependencies,
        path: "Tests/\(room.rawValue)/\(name)Tests", exclude: exclude, swiftSettings: strict)
}

/// A program that a script measures or draws with.
func benchmark(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Benchmarks/\(name)", swiftSettings: strict)
}

// The program of scripts/fuzz, with the `main` of libFuzzer. Only that script builds it. The tests run the same
// entries on every input of the corpus.
let fuzzes = Context.environment["TILESERVER_FUZZ"] == "1"
let fuzzed: [Target.Dependency] = [
    "Bytes", "Configuration", "EventLog", "Fleet", "HTTPClient", "HTTPLimits", "HTTPServer", "JSON", "Labels",
    "MapGeometry", "MapService", "Raster", "RedisClient", "Runtime", "Text", "TileArchives", "TileCache", "TileServer",
    "TileSources", "Tiles",
    .product(name: "Logging", package: "swift-log"),
]
let fuzz: Target =
    fuzzes
    ? .executableTarget(
        name: "fuzz", dependencies: fuzzed, path: "fuzz", exclude: ["Replay", "corpus", "dictionaries"],
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    : .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "fuzz", exclude: ["Driver", "corpus", "dictionaries"],
        swiftSettings: strict)

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")

// Dependencies point one way: a target of Sources imports only targets that are declared above it.
let package = Package(
    name: "tileserver",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "TileServer", targets: ["TileServer"]),
        .library(name: "MapGeometry", targets: ["MapGeometry"]),
        .executable(name: "tileserver", targets: ["tileserver"]),
    ],
    // A minor version may change behaviour. The upper bounds admit only new patches.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
    ],
    targets: [
        c("CLinux"),
        c("CStartup"),
        c("CXXHash"),
        c("CFleet", exclude: ["fleet.lua"]),
        c("CDejaVu", exclude: ["DejaVuSans.ttf"]),
        c("CFriBidi", "fribidi"),
        c("CHarfBuzz", "harfbuzz"),
        c("CLibPNG", "png", "z"),
        c("CTurboJPEG", "turbojpeg"),
        c("CWebP", "webp"),
        c("CLibcrypto", "crypto"),
        c("CLibssl", "ssl", "crypto"),
        c("CHiredis", "hiredis"),
        c("CLibcurl", "curl"),
        c("CNGHTTP2", "nghttp2"),
        c("CSQLite", "sqlite3"),
        c("CViewer", "z", exclude: ["openapi.json"]),
        c("CWorld", "z", exclude: ["world.bin"]),
        c("CZlib", "z"),

        // Parts that any server needs.
        target(.kit, "Bytes"),
        target(.kit, "Files", ["Bytes", "CLinux"]),
        target(.kit, "JSON", ["Bytes"]),
        target(.kit, "Keys", ["Bytes"]),
        target(.kit, "EventLog", [log]),
        target(.kit, "Runtime", ["CLinux"]),

        // Protocols; they know no tiles.
        target(.net, "HTTPLimits", ["Keys"]),
        target(.net, "TLS", ["Files", "CLibcrypto", "CLibssl"]),
        target(.net, "HTTPServer", ["Bytes", "EventLog", "HTTPLimits", "Runtime", "TLS", "CLinux", "CNGHTTP2", log]),
        target(.net, "HTTPClient", ["Bytes", "Runtime", "CLibcrypto", "CLibcurl"]),
        target(.net, "RedisClient", ["Bytes", "Keys", "Runtime", "CHiredis", "CLibcrypto"]),

        // Geometry and pixels.
        target(.picture, "MapGeometry", ["Keys"]),
        target(.picture, "Raster", ["Bytes", "CLibPNG", "CTurboJPEG", "CWebP"], settings: computing),
        target(
            .picture, "Text", ["CDejaVu", "CFriBidi", "CHarfBuzz", "CXXHash", "Files", "Keys", "Raster"],
            settings: computing),
        target(.picture, "MapRenderer", ["MapGeometry", "Raster", "Text"], settings: computing),

        // Layers and their cache.
        target(.tiles, "Tiles", ["Bytes", "Keys", "MapGeometry", "Raster"]),
        // Archives of tiles as files: what writes them, and which tiles an export has.
        target(
            .tiles, "TileArchives",
            ["Bytes", "CLinux", "CSQLite", "CXXHash", "CZlib", "Files", "JSON", "MapGeometry", "Raster", "Tiles"]),
        target(.tiles, "Labels", ["MapGeometry", "Raster", "Text", "Tiles"], settings: computing),
        target(.tiles, "Generators", ["Bytes", "CWorld", "Keys", "Labels", "MapGeometry", "Raster", "Text", "Tiles"]),
        target(
            .tiles, "TileSources",
            [
                "Bytes", "Files", "HTTPClient", "JSON", "Keys", "Labels", "MapGeometry", "Raster", "Runtime", "TLS",
                "Text", "TileArchives", "Tiles", "CLibcrypto", "CSQLite",
            ]),
        target(
            .tiles, "TileCache",
            ["Bytes", "CXXHash", "Files", "Keys", "MapGeometry", "Raster", "Runtime", "Tiles", grdb],
            settings: computing),

        // Features that an operator turns on.
        target(
            .features, "Fleet",
            [
                "Bytes", "CFleet", "CLibcrypto", "EventLog", "Files", "HTTPClient", "JSON", "Keys", "MapGeometry",
                "Raster", "RedisClient", "Runtime", "TileCache", "Tiles", log,
            ],
            settings: computing),

        target(
            .features, "CDN",
            [
                "Bytes", "EventLog", "Files", "HTTPClient", "Keys", "MapGeometry", "RedisClient", "TileCache", log,
            ]),

        // The product. MapService has all its functions without a socket.
        target(
            .app, "Configuration",
            [
                "Bytes", "CDN", "Files", "Fleet", "Generators", "HTTPLimits", "Keys", "MapGeometry", "Raster", "TLS",
                "Text", "TileCache", "TileSources", "Tiles", "Yams",
            ]),
        target(
            .app, "MapService",
            [
                "Bytes", "CDN", "Configuration", "EventLog", "Fleet", "Generators", "HTTPClient", "JSON",
                "Keys", "Labels", "MapGeometry", "MapRenderer", "Raster", "RedisClient", "Runtime", "TLS", "Text",
                "TileArchives", "TileCache", "TileSources", "Tiles", log,
            ]),
        target(
            .app, "TileServer",
            [
                "Bytes", "CDN", "Configuration", "EventLog", "Files", "Fleet", "HTTPServer", "JSON", "MapGeometry",
                "MapRenderer", "MapService", "Raster", "Runtime", "TLS", "Text", "TileCache", "TileSources", "Tiles",
                "CViewer", log,
            ]),
        .executableTarget(
            name: "tileserver",
            dependencies: [
                "Bytes", "Configuration", "EventLog", "Files", "HTTPClient", "JSON", "Keys", "MapGeometry",
                "MapService", "Raster", "Runtime", "TLS", "TileArchives", "TileCache", "TileServer", "TileSources",
                "Tiles", "CLinux", "CStartup", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/App/tileserver", swiftSettings: strict),

        // Draws the sample tree in tiles/.
        benchmark("floorplan", ["Bytes", "MapGeometry", "Raster", "Text"]),
        // Decodes and encodes images for scripts/pngsuite and scripts/bench.
        benchmark("codecs", ["Bytes", "Raster"]),
        // Measures the disk tier for scripts/bench.
        benchmark("diskbench", ["Bytes", "MapGeometry", "Raster", "TileCache", "Tiles"]),
        // Measures tiles that are drawn here for scripts/bench.
        benchmark(
            "tilebench",
            ["Bytes", "Generators", "JSON", "Labels", "MapGeometry", "Raster", "Tiles", "TileSources"]),
        // Prints the glyphs of texts for scripts/shaping.
        benchmark("shaping", ["Bytes", "Raster", "Text"]),
        // Draws what cameras see for scripts/bench.
        benchmark("camerabench", ["MapGeometry", "MapRenderer", "Raster"]),
        // Starts servers and stops them for scripts/lifetimes.
        benchmark("lifetimes", ["TileServer", log]),

        // An upstream for tests that lies on purpose.
        .target(name: "TestUpstream", path: "Tests/Support/TestUpstream", swiftSettings: strict),

        // A real redis-server for tests, and one that lies on purpose.
        .target(
            name: "TestRedis", dependencies: ["TestSupport"], path: "Tests/Support/TestRedis", swiftSettings: strict),

        // A client for tests that must see every byte.
        .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: strict),

        // A client for tests that must see every byte of HTTPS.
        .target(
            name: "TestTLS", dependencies: ["TLS", "TestSupport"], path: "Tests/Support/TestTLS",
            swiftSettings: strict),

        // Archives that tests read.
        .target(
            name: "TestArchives", dependencies: ["MapGeometry", "TileArchives"], path: "Tests/Support/TestArchives",
            swiftSettings: strict),

        // Helpers for tests that look at the pixels of drawn tiles.
        .target(
            name: "TestPictures", dependencies: ["Raster", "Tiles"], path: "Tests/Support/TestPictures",
            swiftSettings: strict),

        fuzz,
        tests(.kit, "Bytes"),
        tests(.kit, "Files", ["TestSupport"]),
        tests(.kit, "JSON", ["TestSupport"]),
        tests(.kit, "Runtime", ["TestSupport"]),
        tests(.kit, "EventLog", ["TestSupport", log]),
        // Starts the executable, which is built beside it.
        .testTarget(
            name: "ProgramTests", dependencies: ["TestSupport", "TestTLS", "TestUpstream", grdb],
            path: "Tests/App/ProgramTests",
            swiftSettings: strict),
        tests(.picture, "MapGeometry"),
        tests(.picture, "Raster", ["Bytes", "CLibPNG", "Text"]),
        tests(.picture, "Text", ["CHarfBuzz", "Raster"], exclude: ["Fixtures"]),
        tests(.net, "HTTPClient", ["Bytes", "CLibcurl", "Runtime", "TestSupport", "TestUpstream"]),
        tests(.net, "RedisClient", ["Keys", "Runtime", "TestRedis", "TestSupport"]),
        tests(.net, "TLS", ["TestSupport", "TestTLS", "TestUpstream"]),
        tests(
            .net, "HTTPServer",
            [
                "Bytes", "CNGHTTP2", "EventLog", "HTTPLimits", "Runtime", "TLS", "TestSupport", "TestTLS",
                "TestUpstream", log,
            ]),
        tests(.tiles, "Labels", ["MapGeometry", "Raster", "TestPictures", "Tiles"]),
        tests(.tiles, "Generators", ["Labels", "MapGeometry", "Raster", "TestPictures", "Text", "Tiles"]),
        tests(
            .tiles, "TileSources",
            [
                "Bytes", "HTTPClient", "Labels", "MapGeometry", "Raster", "Runtime", "TestArchives", "TestPictures",
                "TestSupport", "TestUpstream", "TileArchives", "TLS", "Tiles", "CLibcrypto", "CSQLite", grdb,
            ]),
        tests(
            .tiles, "TileArchives",
            [
                "Bytes", "CZlib", "Files", "JSON", "MapGeometry", "Raster", "TestSupport", "TileSources", "Tiles", grdb,
            ]),
        tests(
            .tiles, "TileCache", ["Bytes", "MapGeometry", "Raster", "TestSupport", "Runtime", "Tiles", grdb],
            exclude: ["Fixtures"]),
        tests(
            .features, "Fleet",
            [
                "Bytes", "Keys", "MapGeometry", "Raster", "Runtime", "RedisClient", "TestRedis", "TestSupport",
                "TileCache", "Tiles",
            ]),
        tests(
            .features, "CDN",
            [
                "EventLog", "Keys", "MapGeometry", "RedisClient", "Runtime", "TestRedis", "TestSupport", "TileCache",
                log,
            ]),
        tests(.picture, "MapRenderer", ["MapGeometry", "Raster"]),
        tests(.kit, "Keys"),
        tests(.app, "Configuration", ["Generators", "Keys", "TestSupport", "TestUpstream", "Text"]),
        tests(
            .app, "MapService",
            [
                "Bytes", "Configuration", "EventLog", "Fleet", "Generators", "HTTPClient", "MapGeometry", "MapRenderer",
                "Raster", "Runtime", "RedisClient", "TestRedis", "TestSupport", "TestUpstream", "TileCache", "Tiles",
                "TileSources", log,
            ]),
        tests(
            .app, "TileServer",
            [
                "Bytes", "Configuration", "EventLog", "Fleet", "Generators", "HTTPClient", "HTTPServer",
                "MapGeometry", "MapService", "Raster", "Runtime", "TestArchives", "TestSupport", "TestTLS",
                "TestUpstream",
                "TileCache",
                "Tiles", "TileSources",
                grdb, log,
            ]),
    ]
)

if geometryOnly {
    package.products = [.library(name: "MapGeometry", targets: ["MapGeometry"])]
    package.dependencies = []
    package.targets = [
        // The folder Keys has the rules of a server's configuration.
        .target(
            name: "MapGeometry", path: "Sources/Picture/MapGeometry", exclude: ["Keys"], swiftSettings: strict),
        tests(.picture, "MapGeometry"),
    ]
}
