import CFleet
import RedisClient

/// The Lua script `fleet.lua`, which changes the fleet's numbers in Redis. Each call is one atomic step. `ModelRedis`
/// in the tests does the same in Swift, and the tests compare the two.
///
/// `clear` and `purge` give a message its id and write the message to the stream. `clears` does so for many layers with
/// one message. `merge` exchanges the numbers of a node and of Redis, and returns what the node does not know. `sweep`
/// removes rows of layers that no node serves. A row that is unreadable or more than ten years ahead counts as removed.
///
/// The script announces its changes of rows with entries in the stream. The field `:` of the rows contains the id of
/// the last entry. If this id differs from the stream's last entry, another program has changed the rows or the stream,
/// or one of the two is lost. Then the script writes an entry which says that all rows may have changed. Nodes of older
/// versions change rows without an entry. The field is empty while Redis knows such a node.
package enum FleetScript {
    /// The script. Keys: the hash of rows by layer, the stream, the hash of nodes, the hash of days (`served`).
    /// Arguments: the command, then the arguments of `FleetRequest`. The script may run while Redis is full: without it
    /// no clear would get a number.
    package static let script = RedisScript(String(cString: cfleet_script()))

    /// Suffix of a node's version in its row if the node reads changes from the stream. No version contains a `#`.
    package static let form = "#2"
}
