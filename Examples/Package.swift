// swift-tools-version: 6.2
import PackageDescription

// Programs with their own layers: `swift run --package-path Examples --scratch-path .build SyncLayer`.
func example(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: [.product(name: "TileServer", package: "tileserver")])
}

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "tileserver", path: "..")],
    targets: ["SyncLayer", "AsyncLayer", "URLLayer", "Map", "Picture"].map(example)
)
