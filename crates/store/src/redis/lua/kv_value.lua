-- A value is kept as `TILL:BYTES`; 0 is for ever.
local function live(kept)
    if not kept then
        return nil
    end
    local colon = string.find(kept, ':', 1, true)
    local till = tonumber(string.sub(kept, 1, colon - 1))
    if till ~= 0 and till <= now then
        return nil
    end
    return string.sub(kept, colon + 1)
end
