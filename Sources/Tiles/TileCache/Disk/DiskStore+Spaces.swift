extension DiskStore {
    /// Returns the fingerprint of the layer that begins with `beginning` and under which tiles are stored. If there are
    /// several, returns the newest. Nil if there is none.
    package func fingerprint(of layer: String, beginningWith beginning: String) -> String? {
        storeIndex.state.withLock { state in
            let spaces = state.spaces.values.filter {
                $0.key.namespace.layer == layer && $0.key.namespace.fingerprint.hasPrefix(beginning)
            }
            return spaces.max { $0.id < $1.id }?.key.namespace.fingerprint
        }
    }
}
