import Configuration
import Fleet

/// Who applies what other servers of the fleet say.
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

extension MapService {
    /// Nil where the server belongs to no fleet.
    package var fleetInbox: (any FleetInbox)? { fleet?.node }

    /// As the service was started with them, which a reload does not change.
    package var fleetSettings: FleetSettings? { fleet?.settings }
}
