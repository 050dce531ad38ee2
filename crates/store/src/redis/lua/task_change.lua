-- Keeps a changed record if nobody else has changed it meanwhile; otherwise returns what it is now.
local version, record, next_version, ended, channel, notice = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local found = find()
if not found then
    return false
end
if found[4] ~= version then
    return { text(now), found[1], found[2] }
end
redis.call('HSET', KEYS[1], 'record', record, 'version', next_version, 'ended', ended)
redis.call('PUBLISH', channel, notice)
return {}
