import TileCache

/// Actions at this node that follow from messages and from answers of Redis.
extension FleetNode {
    /// Does what was decided, behind what is being done: when it returns all of it is in force, also what another task was told of
    /// before. Not to be called by an action.
    func perform(_ actions: [FleetState.Action]) async {
        let last = state.withLock { state in
            guard !actions.isEmpty else { return state.performing }
            let before = state.performing
            let task = Task {
                await before?.value
                // Clears first: with its layers a map may come to the generation that others have by itself.
                await raise(actions, isClear: true)
                await advance(actions)
                await performAtOnce(actions.filter(\.isOfTiles))
                await raise(actions, isClear: false)
            }
            state.performing = task
            return task
        }
        await last?.value
    }

    /// All layers together, since what a server does for a clear of many is little more than for one.
    private func raise(_ actions: [FleetState.Action], isClear: Bool) async {
        let generations = actions.reduce(into: [String: UInt32]()) { all, action in
            guard case .raise(let layer, let generation, isClear) = action else { return }
            all[layer] = max(all[layer] ?? 0, generation)
        }
        if !generations.isEmpty { await local.raise(generations, isClear: isClear) }
    }

    private func advance(_ actions: [FleetState.Action]) async {
        let layers = Set(actions.compactMap { if case .advance(let layer) = $0 { layer } else { nil } })
        guard !layers.isEmpty else { return }
        let generations = await local.advance(Array(layers))
        state.withLock { state in
            for (layer, generation) in generations { state.fleet.clearedAlone(layer, generation: generation) }
        }
        wake()
    }

    /// Layers at the same time, since each may have to wait for the disk.
    private func performAtOnce(_ actions: [FleetState.Action]) async {
        guard !actions.isEmpty else { return }
        await withTaskGroup { group in
            for (layer, actions) in Dictionary(grouping: actions, by: \.layer) {
                group.addTask { for action in actions { await self.perform(action, layer) } }
            }
        }
    }

    private func perform(_ action: FleetState.Action, _ layer: String) async {
        switch action {
        case .raise, .advance: break
        case .purge(_, let area, let isSoft): await local.purge(layer, area, isSoft: isSoft)
        case .removeAll(_, let reason):
            switch reason {
            case .missed: onEvent(.missed(layer: layer))
            case .forked: onEvent(.forked(layer: layer))
            case .cleared: break
            }
            await local.purge(layer, .everything, isSoft: false)
        }
    }
}

extension FleetState.Action {
    var layer: String {
        switch self {
        case .raise(let layer, _, _), .advance(let layer), .purge(let layer, _, _), .removeAll(let layer, _): layer
        }
    }

    /// This action without a line in the log, for a node that has no tiles yet.
    var ofNothing: FleetState.Action {
        if case .removeAll(let layer, .missed) = self { .removeAll(layer, .cleared) } else { self }
    }

    fileprivate var isOfTiles: Bool {
        switch self {
        case .raise, .advance: false
        case .purge, .removeAll: true
        }
    }
}
