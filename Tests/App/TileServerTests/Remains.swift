/// A list of objects that should be freed, each with a name.
///
/// It is a class because closures add objects. Thread rule: one thread at a time.
final class Remains {
    private struct Suspect {
        let name: String
        weak var object: AnyObject?
    }

    private var suspects: [Suspect] = []

    func watch(_ object: some AnyObject, _ name: String) {
        suspects.append(Suspect(name: name, object: object))
    }

    /// Returns the number of remaining objects with this name.
    func count(_ name: String) -> Int {
        suspects.reduce(0) { $0 + ($1.name == name && $1.object != nil ? 1 : 0) }
    }

    /// The names of the remaining objects.
    var names: [String] {
        suspects.filter { $0.object != nil }.map(\.name)
    }
}
