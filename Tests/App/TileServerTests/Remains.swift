/// Objects that should be gone some time, each under a name.
///
/// A class to be added to in closures. Thread rule: one at a time.
final class Remains {
    private struct Suspect {
        let name: String
        weak var object: AnyObject?
    }

    private var suspects: [Suspect] = []

    func watch(_ object: some AnyObject, _ name: String) {
        suspects.append(Suspect(name: name, object: object))
    }

    /// How many of the name are still there.
    func count(_ name: String) -> Int {
        suspects.reduce(0) { $0 + ($1.name == name && $1.object != nil ? 1 : 0) }
    }

    /// The names of those that are still there.
    var names: [String] {
        suspects.filter { $0.object != nil }.map(\.name)
    }
}
