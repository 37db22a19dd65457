-- Numbers as people read them, and words as a shell does.
local M = {}

--- "1,234,567" of a whole number.
function M.with_commas(n) return (string.format('%d', n):reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', '')) end

--- "1 batch", "2 batches": a number and the word for as many things.
function M.plural(n, word, ending) return string.format('%d %s%s', n, word, n == 1 and '' or ending or 's') end

--- "24 B", "1.3 kB", "12 MB" of a number of bytes.
function M.size(bytes)
  local unit = 1
  while bytes >= 999.5 and unit < 5 do bytes, unit = bytes / 1000, unit + 1 end
  return string.format(bytes < 9.95 and unit > 1 and '%.1f %s' or '%.0f %s', bytes, ({ 'B', 'kB', 'MB', 'GB', 'TB' })[unit])
end

--- A word of a shell's command, whatever it holds.
function M.shell_word(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

return M
