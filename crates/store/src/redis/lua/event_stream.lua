-- A stream is a hash with its numbers, a list with its events, and a sorted set with the keys of those that are kept once.
local function parts(meta)
    return meta, meta .. ':l', meta .. ':k'
end

local function extend(meta, till)
    local meta, list, keys = parts(meta)
    redis.call('HSET', meta, 'till', text(till))
    forget_at(meta, till)
    forget_at(list, till)
    forget_at(keys, till)
end

-- Finds a stream, or clears the place of one whose time is over.
local function find(meta)
    local found = redis.call('HMGET', meta, 'first', 'newest', 'bytes', 'finished', 'till')
    local till = tonumber(found[5] or '0')
    if till <= now then
        redis.call('DEL', parts(meta))
        return nil
    end
    return {
        first = tonumber(found[1]),
        newest = tonumber(found[2]),
        bytes = tonumber(found[3]),
        finished = found[4] == '1',
        till = till,
    }
end

local function save(meta, stream)
    redis.call('HSET', meta, 'first', text(stream.first), 'newest', text(stream.newest), 'bytes', text(stream.bytes),
        'finished', stream.finished and '1' or '0')
end

-- Finds a stream or begins it, notes it among those of its session, and keeps both as long as asked for.
local function begin(meta, index, number, keep)
    local stream = find(meta)
    if not stream then
        stream = { first = 1, newest = 0, bytes = 0, finished = false, till = 0 }
        save(meta, stream)
        redis.call('SADD', index, number)
    end
    stream.till = math.max(stream.till, now + keep)
    extend(meta, stream.till)
    if redis.call('PTTL', index) < stream.till - now then
        forget_at(index, stream.till)
    end
    return stream
end
