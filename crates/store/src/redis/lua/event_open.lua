begin(KEYS[1], KEYS[4], ARGV[2], tonumber(ARGV[3]))
return 1
