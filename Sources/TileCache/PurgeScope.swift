/// Which tiles of a layer are to be taken back: those in a box, and what may have been made of them.
struct PurgeScope: Sendable {
    let layer: UInt16
    let box: TileBox
    private let made: TileBox

    init(layer: UInt16, box: TileBox) {
        self.layer = layer
        self.box = box
        made = box.widened
    }

    func covers(_ key: TileKey) -> Bool {
        key.layer == layer && (key.variant == .source ? box : made).contains(key.coordinate)
    }
}
