-- Removes one stream of a session, or all of them.
local index, channel = KEYS[1], ARGV[2]
local numbers = ARGV[3] and { ARGV[3] } or redis.call('SMEMBERS', index)
for _, number in ipairs(numbers) do
    redis.call('DEL', parts(index .. ':' .. number))
    redis.call('SREM', index, number)
    redis.call('PUBLISH', channel .. number, '')
end
return 1
