extension Coordinate {
    /// The place at these degrees, for callers that must say what is wrong: throws `notFinite`, and `outOfRange` for
    /// latitudes beyond ±90 (docs/spec/model.md ruling 10). A camera's target takes any finite latitude; see `CameraPosition`.
    public init(checkingLatitude latitude: Double, longitude: Double) throws(CameraError) {
        self.init(
            validLatitude: try latitude.within(-90...90, .latitude), longitude: try longitude.finite(.longitude))
    }
}
