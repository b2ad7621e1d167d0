extension BulkPolicy {
    /// All policies that this program knows. Hosts that are not in this list may forbid bulk downloads too. Before you
    /// add a row, read the policy at `address`, and set `read` to today's date.
    static let all = [
        BulkPolicy(
            host: "tile.openstreetmap.org", address: "https://operations.osmfoundation.org/policies/tiles/",
            read: "2026-11-29",
            sentence: "OpenStreetMap's policy prohibits downloads in advance, such as archives and offline maps."),
        BulkPolicy(
            host: "thunderforest.com", address: "https://www.thunderforest.com/terms/", read: "2026-11-29",
            sentence: "Thunderforest's terms require written permission for bulk downloads."),
        BulkPolicy(
            host: "tile.googleapis.com",
            address: "https://developers.google.com/maps/documentation/tile/policies", read: "2026-11-29",
            sentence: "Google's policy forbids bulk downloads of map tiles, and storing tiles in advance."),
    ]
}
