local function till()
    local found = tonumber(redis.call('HGET', KEYS[1], 'till') or '0')
    return found > now and found or nil
end
