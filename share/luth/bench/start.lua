-- luth start.lua PROGRAM ARGUMENTS…: runs it, then prints a line of seconds, peak memory in bytes and exit code.
local seconds, bytes, code = require('luth.native').run(arg)
print(string.format('\n%.9f %d %d', seconds, bytes, code))
