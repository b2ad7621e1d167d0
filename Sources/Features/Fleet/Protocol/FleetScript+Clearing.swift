/// Parts of the script that write into the stream and that clear.
extension FleetScript {
    static let messages = """
        local none = {0, 0, 0, 0, 0}
        local isPosted = false

        -- Messages are forgotten by their number, and, where lists make them large, by their bytes.
        local function trim(fields)
          local size = 0
          for _, field in ipairs(fields) do size = size + #field end
          if size < 4096 then return end
          local usage = redis.pcall('MEMORY', 'USAGE', bus)
          if type(usage) == 'number' and usage > 16777216 then
            redis.call('XTRIM', bus, 'MAXLEN', '~', math.ceil(redis.call('XLEN', bus) / 2))
          end
        end

        -- Later than everything that is known of the row, whatever the clock says.
        local function add(row, fields)
          local m, s = row[2], row[3]
          if later(row[4], row[5], m, s) then m, s = row[4], row[5] end
          local added
          if m >= ms then
            local id = string.format('%.0f-%.0f', m, s + 1)
            added = redis.pcall('XADD', bus, 'MAXLEN', '~', '10000', id, unpack(fields))
          end
          if type(added) ~= 'string' then
            added = redis.call('XADD', bus, 'MAXLEN', '~', '10000', '*', unpack(fields))
          end
          trim(fields)
          last, isPosted = added, true
          m, s = string.match(added, '^(%d+)%-(%d+)$')
          return tonumber(m), tonumber(s), added
        end

        -- Says of which layers the rows have changed more than messages tell.
        local silent = {}
        local function announce()
          if isMixed or #silent == 0 then return end
          local layers = #silent > 500 and '*' or table.concat(silent, ' ')
          add(none, {'kind', 'rows', 'node', me, 'layers', layers})
          silent = {}
        end

        -- Rows and stream that do not go together, or rows that an old node has changed.
        local mark = redis.call('HGET', rows, ':')
        local isBroken = isMixed or wasOld or mark ~= last or last == '0-0'
        if isMixed then
          if mark ~= '' then redis.call('HSET', rows, ':', '') end
        elseif isBroken then
          add(none, {'kind', 'rows', 'node', me, 'layers', '*'})
        end
        """

    static let clearing = """
        local function clearOne(name, layer, row)
          row[1] = math.max(row[1] + 1, now)
          local generation, id = string.format('%.0f', row[1])
          row[2], row[3], id = add(row, {
            'kind', 'clear', 'layer', layer, 'node', me, 'name', name, 'generation', generation})
          redis.call('HSET', rows, layer, text(row))
          return string.format('%s %s %s', layer, generation, id)
        end

        local function clear(name, first)
          local answers, there = {}, values(first)
          for i = first, #ARGV, 2 do
            local layer, value = ARGV[i], there[(i - first) / 2 + 1]
            local before = known(value)
            local row = joined(said(ARGV[i + 1]), before)
            if later(row[4], row[5], before[4], before[5]) or isLost(value) then
              silent[#silent + 1] = layer
            end
            answers[#answers + 1] = clearOne(name, layer, row)
          end
          announce()
          return answers
        end

        -- One generation and one id for all, but for layers that are a day ahead of the clock: all others would follow them. Answers
        -- nothing, and does nothing, where a node is there that knows no such message.
        local function clears(name, first)
          if isMixed then return {} end
          local names, all, ahead, there = {}, {}, {}, values(first)
          local generation, floor = now, {0, 0, 0, 0, 0}
          for i = first, #ARGV, 2 do
            local layer, value = ARGV[i], there[(i - first) / 2 + 1]
            local row = parsed(value)
            if value ~= ARGV[i + 1] or not row then
              local before = row or removed()
              row = joined(said(ARGV[i + 1]), before)
              if later(row[4], row[5], before[4], before[5]) or isLost(value) then
                silent[#silent + 1] = layer
              end
            end
            if row[1] > now + 86400 and #ahead < 400 then
              ahead[#ahead + 1] = clearOne(name, layer, row)
            else
              generation = math.max(generation, row[1] + 1)
              floor = joined(floor, row)
              names[#names + 1], all[#all + 1] = layer, row
            end
          end
          announce()
          if #names == 0 then return ahead end
          local number = string.format('%.0f', generation)
          local _, _, id = add(floor, {
            'kind', 'clears', 'node', me, 'name', name, 'generation', number, 'layers', table.concat(names, ' ')})
          local head = number .. ' ' .. id .. ' '
          for start = 1, #names, 1000 do
            local fields = {}
            for i = start, math.min(start + 999, #names) do
              local row = all[i]
              fields[#fields + 1] = names[i]
              fields[#fields + 1] = head .. string.format('%.0f-%.0f', row[4], row[5])
            end
            redis.call('HSET', rows, unpack(fields))
          end
          ahead[#ahead + 1] = string.format('* %s %s', number, id)
          return ahead
        end

        local function purge(name, soft, area, first)
          local answers, there = {}, values(first)
          for i = first, #ARGV, 2 do
            local layer, value = ARGV[i], there[(i - first) / 2 + 1]
            local before = known(value)
            local row = joined(said(ARGV[i + 1]), before)
            if row[1] > before[1] or later(row[2], row[3], before[2], before[3]) or isLost(value) then
              silent[#silent + 1] = layer
            end
            local previous = string.format('%.0f-%.0f', row[4], row[5])
            local id
            row[4], row[5], id = add(row, {
              'kind', 'purge', 'layer', layer, 'node', me, 'name', name, 'previous', previous,
              'soft', soft, 'area', area})
            redis.call('HSET', rows, layer, text(row))
            answers[#answers + 1] = string.format('%s %s %s', layer, previous, id)
          end
          announce()
          return answers
        end
        """
}
