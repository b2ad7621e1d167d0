import Testing

@testable import MapGeometry

/// Makes a coordinate. The short name keeps the camera tests readable.
func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(validating: latitude, longitude: longitude))
}

/// Makes a coordinate from [latitude, longitude].
func place(_ numbers: [Double]) throws -> Coordinate {
    try place(numbers[0], numbers[1])
}

/// Makes a camera from [latitude, longitude, zoom, bearing, viewing angle]. The last two are optional.
func camera(_ numbers: [Double]) throws -> CameraPosition {
    try CameraPosition.checked(
        latitude: numbers[0], longitude: numbers[1], zoom: numbers[2], bearing: numbers.count > 3 ? numbers[3] : 0,
        viewingAngle: numbers.count > 4 ? numbers[4] : 0)
}

/// Makes a map with a view. The default size is 800 × 600 points.
func mapView(
    _ rules: CameraRules = CameraRules(), width: Double = 800, height: Double = 600, padding: EdgeInsets = .zero
) throws -> MapView {
    try MapView(rules: rules, viewport: Viewport.checked(width: width, height: height, padding: padding))
}

/// Bounds with Vancouver in the southwest and Calgary in the northeast.
func westernCanada() throws -> CoordinateBounds {
    try CoordinateBounds.checked(southWest: place(49.26, -123.11), northEast: place(51.05, -114.05))
}

/// Returns true if two coordinates differ by at most `tolerance` degrees. The longitudes 180 and -180 are equal.
func agree(_ first: Coordinate, _ second: Coordinate, within tolerance: Double = 1e-6) -> Bool {
    abs(first.latitude - second.latitude) <= tolerance
        && abs((first.longitude - second.longitude).remainder(dividingBy: 360)) <= tolerance
}

/// Random numbers that depend only on a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Extreme finite numbers, which break arithmetic without guards.
let extremes: [Double] = [
    0, -0.0, 1, -1, 30, 85, 90, 180, -180, 360, 4096, 1e-300, .leastNonzeroMagnitude, 1e9, -1e9, 1e19, -1e19,
    1e308, -1e308, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
]

/// All kinds of numbers that are not finite.
let notFinite: [Double] = [.nan, .signalingNaN, .infinity, -.infinity]
