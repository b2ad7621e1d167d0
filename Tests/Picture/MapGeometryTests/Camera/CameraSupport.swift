import Testing

@testable import MapGeometry

/// Short ways to write what camera tests are full of.
func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}

/// A place from [latitude, longitude].
func place(_ numbers: [Double]) throws -> Coordinate {
    try place(numbers[0], numbers[1])
}

/// A camera from [latitude, longitude, zoom, bearing, viewing angle]; the last two may be absent.
func camera(_ numbers: [Double]) throws -> CameraPosition {
    try CameraPosition(
        latitude: numbers[0], longitude: numbers[1], zoom: numbers[2], bearing: numbers.count > 3 ? numbers[3] : 0,
        viewingAngle: numbers.count > 4 ? numbers[4] : 0)
}

/// A map with a view, 800 × 600 points unless said.
func mapView(
    _ rules: CameraRules = CameraRules(), width: Double = 800, height: Double = 600, padding: EdgeInsets = .zero
) throws -> MapView {
    try MapView(rules: rules, viewport: Viewport(width: width, height: height, padding: padding))
}

/// Vancouver and Calgary.
func westernCanada() throws -> CoordinateBounds {
    try CoordinateBounds(southWest: place(49.26, -123.11), northEast: place(51.05, -114.05))
}

/// Whether two coordinates agree to a millionth of a degree, ±180 being one meridian.
func agree(_ first: Coordinate, _ second: Coordinate, within tolerance: Double = 1e-6) -> Bool {
    abs(first.latitude - second.latitude) <= tolerance
        && abs((first.longitude - second.longitude).remainder(dividingBy: 360)) <= tolerance
}

/// Numbers that follow from a seed alone (SplitMix64).
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

/// The numbers that break what is not guarded.
let extremes: [Double] = [
    0, -0.0, 1, -1, 30, 85, 90, 180, -180, 360, 4096, 1e-300, .leastNonzeroMagnitude, 1e9, -1e9, 1e19, -1e19,
    1e308, -1e308, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
]

/// What is no finite number.
let notFinite: [Double] = [.nan, .signalingNaN, .infinity, -.infinity]
