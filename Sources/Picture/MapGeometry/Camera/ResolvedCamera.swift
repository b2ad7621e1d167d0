/// What a map makes of a position.
public struct ResolvedCamera: Hashable, Sendable {
    /// The camera in effect.
    public let position: CameraPosition
    /// What differs from what was asked for, clamped or wrapped, in the order of `CameraPosition` (docs/spec/model.md ruling 9).
    public let clamped: [CameraParameter]
}
