-- The time of the server, so that all nodes agree; tests move it by an offset.
local moment = redis.call('TIME')
local offset = tonumber(ARGV[1])
local now = moment[1] * 1000 + math.floor(moment[2] / 1000) + offset

local function text(number)
    return string.format('%.0f', number)
end

-- The server forgets a key by itself when its time is over.
local function forget_at(key, till)
    redis.call('PEXPIREAT', key, text(till - offset))
end
