local mode, keep, value, before = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local found = live(redis.call('GET', KEYS[1]))
if (mode == 'add' and found) or (mode == 'replace' and found ~= before) then
    return 0
end
local till = 0
if keep ~= '' then
    till = now + tonumber(keep)
end
redis.call('SET', KEYS[1], text(till) .. ':' .. value)
if till ~= 0 then
    forget_at(KEYS[1], till)
end
return 1
