/// Applies messages of other servers of the fleet.
package protocol FleetInbox: Sendable {
    /// What this server is called.
    var name: String { get }

    /// Tells its process from all others, whatever they are called.
    var instance: String { get }

    /// Seconds since 1970.
    func date() -> Int

    /// Applies what is new in `letter`; returns when it is in force here.
    func receive(_ letter: FleetLetter) async
}

extension FleetNode: FleetInbox {
    package var name: String { options.node }

    package var instance: String { options.instance }

    package func date() -> Int { clock.wall() }

    package func receive(_ letter: FleetLetter) async { await receive(letter.messages) }
}
