import Foundation

/// Returns `1 layer` or `3 layers`.
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// Returns `2 layers and 1 map`, without maps if there are none.
func countedLayers(_ layers: Int, maps: Int) -> String {
    counted(layers, "layer") + (maps == 0 ? "" : " and \(counted(maps, "map"))")
}

/// Returns a number of bytes as text with a unit, such as `4.1 MiB`. A number that is not finite counts as 0.
func byteText(_ bytes: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (bytes.isFinite ? min(max(bytes, 0), 9e15) : 0, 0)
    while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
    return String(format: value >= 100 || unit == 0 ? "%.0f " : "%.1f ", value) + units[unit]
}
