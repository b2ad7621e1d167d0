// swift-tools-version: 6.2
import PackageDescription

// Arrows point one way: a target imports only what stands above it here.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// Pixels are computed some fifty times slower without optimisation, and tests compute many. Only scripts/test asks for it:
// a package with such flags cannot be depended upon by its version.
let optimizes = Context.environment["TILESERVER_OPTIMIZE_PIXELS"] == "1"
let pixels: [SwiftSetting] = optimizes ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []

func target(
    _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, path: "Tests/\(name)Tests",
        exclude: exclude, swiftSettings: strict)
}

// What scripts/fuzz fuzzes: a program with the `main` of libFuzzer, which only that script asks for. The tests have the same
// entries replay every input that is kept.
let fuzzes = Context.environment["TILESERVER_FUZZ"] == "1"
let fuzzed: [Target.Dependency] = [
    "Bytes", "Configuration", "Fleet", "HTTPClient", "HTTPServer", "JSON", "MapGeometry", "MapService", "Raster",
    "RedisClient", "TileCache", "TileServer", "TileSources", "Tiles",
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

let package = Package(
    name: "tileserver",
    products: [
        .library(name: "TileServer", targets: ["TileServer"]),
        .library(name: "MapGeometry", targets: ["MapGeometry"]),
        .executable(name: "tileserver", targets: ["tileserver"]),
    ],
    // The next minor version may bring other behaviour: an image built next month is the one that was tested.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
    ],
    targets: [
        // C: what Swift cannot call, nothing else.
        .target(name: "CLinux"),
        .target(name: "CStartup"),
        .target(name: "CXXHash"),
        .target(name: "CLibPNG", linkerSettings: [.linkedLibrary("png"), .linkedLibrary("z")]),
        .target(name: "CTurboJPEG", linkerSettings: [.linkedLibrary("turbojpeg")]),
        .target(name: "CWebP", linkerSettings: [.linkedLibrary("webp")]),
        .target(name: "CLibcrypto", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CHiredis", linkerSettings: [.linkedLibrary("hiredis")]),
        .target(name: "CLibcurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CViewer", linkerSettings: [.linkedLibrary("z")]),

        // Leaves.
        target("Bytes"),
        target("Files"),
        target("JSON", ["Bytes"]),
        target("Reactor", ["CLinux"]),
        target("MapGeometry"),
        target("Raster", ["Bytes", "CLibPNG", "CTurboJPEG", "CWebP"], settings: pixels),
        target("EventLog", [log]),

        // Reads what operators write.
        target("Settings", ["Raster", "Yams"]),

        // HTTP; knows no tiles.
        target("HTTPServer", ["Bytes", "EventLog", "Reactor", "CLinux", log]),
        target("HTTPClient", ["Bytes", "Reactor", "CLibcurl"]),

        // Redis; knows no tiles.
        target("RedisClient", ["Bytes", "Reactor", "CHiredis", "CLibcrypto"]),

        // Tiles; know no HTTP server.
        target("Tiles", ["Bytes", "MapGeometry", "Raster"]),
        target("Generators", ["MapGeometry", "Raster", "Settings", "Tiles"]),
        target(
            "TileSources",
            [
                "Bytes", "Files", "HTTPClient", "JSON", "MapGeometry", "Raster", "Reactor", "Settings", "Tiles",
                "CLibcrypto", "CSQLite",
            ]),
        target("TileCache", ["Bytes", "CXXHash", "Files", "MapGeometry", "Raster", "Reactor", "Tiles", grdb]),
        target("MapRenderer", ["MapGeometry", "Raster"], settings: pixels),
        // What servers share that serve the same layers.
        target(
            "Fleet", ["Bytes", "Files", "MapGeometry", "Raster", "Reactor", "RedisClient", "TileCache", "Tiles"]),

        // The whole.
        target("Configuration", ["Files", "Generators", "MapGeometry", "Raster", "Settings", "TileSources"]),
        // All that the product can do, without a socket.
        target(
            "MapService",
            [
                "Bytes", "CLibcrypto", "Configuration", "EventLog", "Files", "Fleet", "Generators", "HTTPClient",
                "JSON", "MapGeometry", "MapRenderer", "Raster", "Reactor", "RedisClient", "Settings", "TileCache",
                "Tiles",
                "TileSources", log,
            ]),
        target(
            "TileServer",
            [
                "Bytes", "Configuration", "EventLog", "Files", "HTTPServer", "JSON", "MapGeometry", "MapRenderer",
                "MapService", "Raster", "Reactor", "TileCache", "Tiles", "TileSources", "CViewer", log,
            ]),
        .executableTarget(
            name: "tileserver",
            dependencies: [
                "TileServer", "MapService", "TileCache", "TileSources", "Tiles", "Configuration", "EventLog",
                "Files", "HTTPClient",
                "MapGeometry", "Bytes", "JSON", "Raster", "Reactor", "CLinux", "CStartup", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Draws the sample tree in tiles/.
        .executableTarget(name: "floorplan", dependencies: ["Bytes", "MapGeometry", "Raster"], swiftSettings: strict),

        // Decodes and encodes images for scripts/pngsuite and scripts/bench.
        .executableTarget(name: "codecs", dependencies: ["Bytes", "Raster"], swiftSettings: strict),

        // Measures the disk tier for scripts/bench.
        .executableTarget(
            name: "diskbench", dependencies: ["Bytes", "MapGeometry", "Raster", "TileCache", "Tiles"],
            swiftSettings: strict),

        // Measures tiles that are drawn here for scripts/bench.
        .executableTarget(
            name: "tilebench",
            dependencies: ["Bytes", "Generators", "MapGeometry", "Raster", "Tiles", "TileSources"],
            swiftSettings: strict),

        // Draws what cameras see for scripts/bench.
        .executableTarget(
            name: "camerabench", dependencies: ["MapGeometry", "MapRenderer", "Raster"], swiftSettings: strict),

        // Starts servers and stops them for scripts/lifetimes.
        .executableTarget(name: "lifetimes", dependencies: ["TileServer", log], swiftSettings: strict),

        // An upstream for tests that lies on purpose.
        .target(name: "TestUpstream", path: "Tests/Support/TestUpstream", swiftSettings: strict),

        // A real redis-server for tests, and one that lies on purpose.
        .target(
            name: "TestRedis", dependencies: ["TestSupport"], path: "Tests/Support/TestRedis", swiftSettings: strict),

        // A client for tests that must see every byte.
        .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: strict),

        // What tests of drawn tiles look for in their pixels.
        .target(
            name: "TestPictures", dependencies: ["Raster", "Tiles"], path: "Tests/Support/TestPictures",
            swiftSettings: strict),

        fuzz,
        tests("Bytes"),
        tests("Files", ["TestSupport"]),
        tests("JSON", ["TestSupport"]),
        tests("Reactor", ["TestSupport"]),
        tests("EventLog", ["TestSupport", log]),
        // Starts the executable, which is built beside it.
        .testTarget(
            name: "ProgramTests", dependencies: ["TestSupport", "TestUpstream", grdb], path: "Tests/ProgramTests",
            swiftSettings: strict),
        tests("MapGeometry"),
        tests("Raster", ["Bytes", "CLibPNG"]),
        tests("HTTPClient", ["Bytes", "CLibcurl", "Reactor", "TestSupport", "TestUpstream"]),
        tests("RedisClient", ["Reactor", "TestRedis", "TestSupport"]),
        tests("HTTPServer", ["Bytes", "EventLog", "Reactor", "TestSupport", log]),
        tests("Generators", ["MapGeometry", "Raster", "TestPictures", "Tiles"]),
        tests(
            "TileSources",
            [
                "Bytes", "HTTPClient", "MapGeometry", "Raster", "Reactor", "TestPictures", "TestSupport",
                "TestUpstream", "Tiles", "CLibcrypto", "CSQLite", grdb,
            ]),
        tests(
            "TileCache", ["Bytes", "MapGeometry", "Raster", "TestSupport", "Reactor", "Tiles", grdb],
            exclude: ["Fixtures"]),
        tests(
            "Fleet",
            ["Bytes", "MapGeometry", "Reactor", "RedisClient", "TestRedis", "TestSupport", "TileCache", "Tiles"]),
        tests("MapRenderer", ["MapGeometry", "Raster"]),
        tests("Settings"),
        tests("Configuration", ["Settings", "TestSupport"]),
        tests(
            "MapService",
            [
                "Bytes", "Configuration", "EventLog", "Fleet", "Generators", "HTTPClient", "MapGeometry", "MapRenderer",
                "Raster", "Reactor", "RedisClient", "TestRedis", "TestSupport", "TestUpstream", "TileCache", "Tiles",
                "TileSources", log,
            ]),
        tests(
            "TileServer",
            [
                "Bytes", "Configuration", "EventLog", "Generators", "HTTPClient", "HTTPServer", "MapGeometry",
                "MapService", "Raster", "Reactor", "TestSupport", "TestUpstream", "TileCache", "Tiles", "TileSources",
                grdb, log,
            ]),
    ]
)
