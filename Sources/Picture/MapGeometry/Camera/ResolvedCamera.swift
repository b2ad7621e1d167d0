/// The camera that a map shows for a requested position.
public struct ResolvedCamera: Hashable, Sendable {
    /// The camera in effect.
    public let position: CameraPosition
    /// The properties whose values differ from the request because the map clamped or wrapped them, in the order of
    /// `CameraPosition` (docs/spec/model.md ruling 9).
    public let clamped: [CameraParameter]
}
