-- Neovim's built-in client, 0.7 and later: opens the files, prints the shown findings, applies a fix.
-- See README.md for inputs and outputs.

local root, out = vim.env.AIDD_ROOT, {}
local command = vim.split(vim.env.AIDD_SERVER, '\n')
local severities = { 'error', 'warning', 'info', 'hint' }
local failed

local function check(holds, why)
  if not holds then error(why, 0) end
  return holds
end

-- Both variants as in docs/editors.md, except for the path of the program.
if vim.lsp.config then
  vim.lsp.config('aidd', { cmd = command, root_markers = { '.aidd', '.git' } })
  vim.lsp.enable('aidd')
  vim.api.nvim_create_autocmd('BufWinEnter', {
    callback = function(event)
      local options = vim.bo[event.buf]
      if options.buftype == '' and options.filetype == '' then options.filetype = 'text' end
    end,
  })
  vim.cmd('filetype on')
else
  local client
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    callback = function(event)
      if vim.bo[event.buf].buftype ~= '' then return end
      client = client or vim.lsp.start_client({
        name = 'aidd',
        cmd = command,
        root_dir = vim.fn.getcwd(),
      })
      vim.lsp.buf_attach_client(event.buf, client)
    end,
  })
end

local function open(file)
  vim.cmd('edit ' .. vim.fn.fnameescape(root .. '/' .. file))
end

-- The findings shown in a buffer: lines in the format of README.md, sorted.
local function shown(file, buffer)
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(buffer)) do
    local line = vim.api.nvim_buf_get_lines(buffer, item.lnum, item.lnum + 1, false)[1]
    local covered = line:sub(item.col + 1, item.end_lnum == item.lnum and item.end_col or nil)
    local data = item.user_data and item.user_data.lsp and item.user_data.lsp.data
    table.insert(found, table.concat({
      file .. ':' .. item.lnum + 1 .. ':' .. vim.fn.strchars(line:sub(1, item.col)) + 1,
      tostring(item.code),
      severities[item.severity],
      type(data) == 'table' and data.id or '-',
      covered,
    }, ' '))
  end
  table.sort(found)
  return found
end

-- Waits until the shown findings satisfy `done`, and then until they have been stable for a while.
local function settled(file, buffer, done)
  local last = ''
  check(vim.wait(15000, function()
    local now = table.concat(shown(file, buffer), '\n')
    return done(now)
  end, 20), file .. ': no findings received')
  repeat
    last = table.concat(shown(file, buffer), '\n')
    vim.wait(300)
  until last == table.concat(shown(file, buffer), '\n')
  return last
end

local function say(text)
  if text ~= '' then table.insert(out, text) end
end

-- Applies the preferred action, as a user would from the list.
vim.ui.select = function(items, _, choose)
  for _, item in ipairs(items) do
    if (item.action or item[2]).isPreferred then return choose(item) end
  end
  failed = 'no preferred action among ' .. #items
end

local function run()
  local buffers = {}
  local target, line = vim.env.AIDD_FIX:match('^(.*):(%d+)$')
  for _, file in ipairs(vim.split(vim.env.AIDD_FILES, '\n')) do
    open(file)
    buffers[file] = vim.api.nvim_get_current_buf()
    say(settled(file, buffers[file], function(now) return now ~= '' end))
  end
  local buffer, line = buffers[target], tonumber(line)
  local before = table.concat(shown(target, buffer), '\n')
  vim.api.nvim_set_current_buf(buffer)
  local here = vim.tbl_filter(function(item) return item.lnum + 1 == line end, vim.diagnostic.get(buffer))
  table.sort(here, function(a, b) return a.col < b.col end)
  vim.api.nvim_win_set_cursor(0, { line, here[1].col })
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  vim.lsp.buf.code_action()
  check(vim.wait(15000, function()
    return failed or vim.api.nvim_buf_get_changedtick(buffer) ~= tick
  end, 20) and not failed, failed or 'no action was applied')
  say('-- fixed')
  say(vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1])
  say(settled(target, buffer, function(now) return now ~= before end))
  vim.cmd('silent write')
end

local fine, problem = pcall(run)
if not fine then say('failed: ' .. tostring(problem)) end
vim.fn.writefile(vim.split(table.concat(out, '\n'), '\n'), vim.env.AIDD_OUT)
vim.cmd('qall!')
