import RedisClient

/// A Lua script that Redis runs, with which the nodes of a fleet exchange their facts (see `FleetFacts`). A node sends
/// its own facts. It gets the name, the offset of the clock and a hash of the facts of each node.
enum FactsScript {
    /// Stores this node's facts, and returns the state of all nodes.
    ///
    /// Keys: the hash of nodes, this node's facts. Arguments: the node's name, its clock in seconds since 1970, the sum
    /// of its facts, the facts or an empty text, and a time in milliseconds. Returns the seconds by which the node's
    /// clock is ahead of Redis, and whether Redis has the node's facts. Then follows an element for each node that has
    /// asked within the given time, at most 499: its name, the seconds by which its clock is ahead, and the sum of its
    /// facts. Deletes the rows of all other nodes.
    static let exchange = RedisScript(
        """
        #!lua flags=allow-oom
        local time = redis.call('TIME')
        local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local offset = (tonumber(ARGV[2]) or 0) - tonumber(time[1])
        redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %.0f %s', ms, offset, ARGV[3]))
        -- Another value than the facts is replaced when the node tells them anew.
        if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4], 'PX', 600000) end
        local there = redis.call('EXISTS', KEYS[2])
        local answers = {offset, there}
        local all = redis.call('HGETALL', KEYS[1])
        for i = 1, #all, 2 do
          local seen, ahead, sum = string.match(all[i + 1], '^(%d+) (-?%d+) (%x+)$')
          local isJunk = not seen or #all[i] > 64 or #all[i + 1] > 128 or #answers > 500
          if isJunk or math.abs(ms - tonumber(seen)) > tonumber(ARGV[5]) then
            redis.call('HDEL', KEYS[1], all[i])
          else
            answers[#answers + 1] = all[i] .. ' ' .. ahead .. ' ' .. sum
          end
        end
        return answers
        """)
}
