return redis.call('PUBLISH', ARGV[2], ARGV[3])
