import CFleet
import RedisClient

/// The script by which Redis changes the numbers, each call as one step: `fleet.lua`. `ModelRedis` of the tests does the
/// same in Swift, and is compared with it.
///
/// `clear` and `purge` give a message its id and write it. `clears` does so for many layers with one message. `merge` puts the numbers
/// of a node and of Redis together, and answers what the node does not know. `sweep` removes rows of layers that no node serves. A row
/// that cannot be read, or lies more than ten years ahead, counts as removed.
///
/// Each change of a row stands in the stream. The field `:` of the rows has the id of the last entry: where it is not that of the
/// stream's last entry, somebody else has changed rows or stream, or one of the two is lost. Then an entry says that all rows may have
/// changed. A node of before this rule changes rows silently. The field is empty while Redis knows such a node.
package enum FleetScript {
    /// Keys: the hash of rows by layer, the stream, the hash of nodes, the hash of days (`served`). Arguments: what to do, then as in `FleetRequest`. Allowed
    /// where Redis is full: it stores a few bytes a layer, and without them clears reach nobody.
    package static let script = RedisScript(String(cString: cfleet_script()))

    /// Suffix of a node's version in its row if the node reads changes from the stream. No version has a `#`.
    package static let form = "#2"
}
