import RedisClient

/// What Redis does with the numbers, each time as one step that nothing comes between. `ModelRedis` of the tests does the same in
/// Swift, and is compared with it.
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
    package static let script = RedisScript(
        [start, numbers, messages, clearing, merging, sweeping, end].joined(separator: "\n"))

    /// Suffix of a node's version in its row if the node reads changes from the stream. No version has a `#`.
    package static let form = "#2"

    /// The clock, the stream's last entry, and the nodes that are there.
    private static let start = """
        #!lua flags=allow-oom
        local rows, bus, nodes, served = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
        local me = ARGV[3]
        local time = redis.call('TIME')
        local now = math.max(tonumber(time[1]), tonumber(ARGV[2]))
        local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local horizon = now + 315360000

        -- Nothing behind an insane id would be believed, nor an id that could be given after it.
        local last = '0-0'
        local newest = redis.call('XREVRANGE', bus, '+', '-', 'COUNT', 1)
        if newest[1] then
          last = newest[1][1]
          local m, s = string.match(last, '^(%d+)%-(%d+)$')
          if tonumber(m) / 1000 > horizon or tonumber(s) >= 9007199254740991 then
            redis.call('DEL', bus)
            last = '0-0'
          end
        end

        local function isGone(name, value)
          local seen = tonumber(string.match(value, '^(%d+) '))
          return #name + #value > 256 or not seen or math.abs(seen - ms) > 300000
        end

        -- Nodes of before the rule that each change of a row stands in the stream.
        local isMixed, wasOld = false, false
        local present = redis.call('HGETALL', nodes)
        for i = 1, #present, 2 do
          if not string.find(present[i + 1], '#2$') and not isGone(present[i], present[i + 1]) then
            if present[i] == me then wasOld = true else isMixed = true end
          end
        end
        """

    /// Rows: generation, clear (milliseconds, sequence), purge (milliseconds, sequence).
    private static let numbers = """
        local function later(am, as, bm, bs)
          return am > bm or (am == bm and as > bs)
        end

        local function text(row)
          return string.format('%.0f %.0f-%.0f %.0f-%.0f', unpack(row))
        end

        local function parsed(value)
          if not value then return nil end
          local row = {string.match(value, '^(%d+) (%d+)%-(%d+) (%d+)%-(%d+)$')}
          if #row ~= 5 then return nil end
          for i = 1, 5 do
            row[i] = tonumber(row[i])
            if row[i] >= 9007199254740992 then return nil end
          end
          if row[1] > horizon or row[2] / 1000 > horizon or row[4] / 1000 > horizon then return nil end
          return row
        end

        -- What the node says. A generation that a wrong clock has left is the node's own matter.
        local function said(value)
          local row = parsed((string.gsub(value, '^%d+', function(generation)
            if tonumber(generation) > horizon then return '0' end
          end)))
          return row or {0, 0, 0, 0, 0}
        end

        local function joined(a, b)
          local row = {math.max(a[1], b[1]), a[2], a[3], a[4], a[5]}
          if later(b[2], b[3], a[2], a[3]) then row[2], row[3] = b[2], b[3] end
          if later(b[4], b[5], a[4], a[5]) then row[4], row[5] = b[4], b[5] end
          return row
        end

        local removedRows
        local function removed()
          removedRows = removedRows or parsed(redis.call('HGET', rows, '::')) or {0, 0, 0, 0, 0}
          return removedRows
        end

        local function known(value)
          return parsed(value) or removed()
        end

        -- Whether nodes may take the row for another one.
        local function isLost(value)
          return not parsed(value) and (value or text(removed()) ~= '0 0-0 0-0')
        end

        -- The values of the layers that the arguments name from `first` on, each before what the node says of it.
        local function values(first)
          local all = {}
          for start = first, #ARGV, 2000 do
            local names = {}
            for i = start, math.min(start + 1999, #ARGV), 2 do names[#names + 1] = ARGV[i] end
            for _, value in ipairs(redis.call('HMGET', rows, unpack(names))) do all[#all + 1] = value end
          end
          return all
        end
        """
}
