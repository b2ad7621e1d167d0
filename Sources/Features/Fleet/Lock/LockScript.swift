import RedisClient

/// Scripts for the lock of a tile's fetch. They store few bytes that expire soon, so a full Redis runs them too.
enum LockScript {
    /// Keys: the lock, the count of waiting nodes, the tile. Arguments: a token, which begins with its node's prefix; the lock's life in
    /// milliseconds; the prefix; 1 if the tile need not be looked for; the most bytes of a tile; 1 if the node begins to wait.
    ///
    /// `{2, tile}` if the tile is there; `{3}` if something else is; `{1}` if the lock is the token's now; `{0}` if it is another
    /// node's. A node takes over a lock of its own: its fetch is over, or a clear has overtaken it, or the node was not told of the grant.
    static let acquire = RedisScript(
        """
        #!lua flags=allow-oom
        local lock, waiting, tile = KEYS[1], KEYS[2], KEYS[3]
        local token, life, own = ARGV[1], ARGV[2], ARGV[3]
        if ARGV[4] ~= '1' then
          local value = redis.pcall('GETRANGE', tile, 0, ARGV[5])
          if type(value) == 'table' then
            if string.sub(value.err, 1, 9) ~= 'WRONGTYPE' then return value end
            return {3}
          end
          if #value > 0 then return {2, value} end
        end
        local holder = redis.call('GET', lock)
        if not holder or string.sub(holder, 1, #own) == own then
          redis.call('SET', lock, token, 'PX', life)
          return {1}
        end
        -- A lock without an end has no living holder.
        if redis.call('PTTL', lock) < 0 then redis.call('PEXPIRE', lock, life) end
        if ARGV[6] == '1' or redis.call('EXISTS', waiting) == 0 then redis.call('INCR', waiting) end
        -- A node of an older version waits for longer.
        if redis.call('PTTL', waiting) < 2000 then redis.call('PEXPIRE', waiting, 2000) end
        return {0}
        """)

    /// Keys: locks. Arguments: the locks' life in milliseconds, then the token of each. Another holder's lock stays as it is.
    static let renew = RedisScript(
        """
        #!lua flags=allow-oom
        for index, lock in ipairs(KEYS) do
          if redis.pcall('GET', lock) == ARGV[index + 1] then redis.call('PEXPIRE', lock, ARGV[1]) end
        end
        return #KEYS
        """)

    /// Keys: the lock, the count of waiting nodes. Argument: the token. Returns 1 if nodes wait: the caller stores the tile and runs
    /// `announce`, which releases the lock. Otherwise deletes the lock and returns 0. Nodes wait for this fetch even if its lock has
    /// expired.
    static let release = RedisScript(
        """
        #!lua flags=allow-oom
        local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return 0 end
        if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
        redis.call('DEL', KEYS[1])
        return 0
        """)

    /// Keys: the lock, the count, the stream. Arguments: the token, the tile's name. Gives the lock back, and tells the nodes that wait.
    static let announce = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        redis.call('DEL', KEYS[2])
        redis.call('XADD', KEYS[3], 'MAXLEN', '~', '256', '*', 't', ARGV[2])
        return 1
        """)
}
