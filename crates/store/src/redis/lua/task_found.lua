local function find()
    local found = redis.call('HMGET', KEYS[1], 'record', 'lease', 'till', 'version', 'ended')
    local till = tonumber(found[3] or '1')
    if not found[1] or (till ~= 0 and till <= now) then
        return nil
    end
    return found
end
