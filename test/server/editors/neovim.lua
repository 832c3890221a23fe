-- Carries out the steps of editors.test.ts in Neovim, and writes what each "see" saw.
local function json(path)
  return vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
end

local function messages(file)
  return vim.tbl_map(function(each)
    return each.message
  end, vim.diagnostic.get(vim.fn.bufnr(file)))
end

local shown = {}
local does = {
  open = function(step)
    vim.cmd.edit(step.file)
  end,
  see = function(step)
    vim.wait(20000, function()
      local all = messages(step.file)
      return step.text and table.concat(all, '\n'):find(step.text, 1, true) or not step.text and #all == 0
    end, 50)
    table.insert(shown, messages(step.file))
  end,
  replace = function(step)
    local lines = vim.api.nvim_buf_get_lines(vim.fn.bufnr(step.file), 0, -1, true)
    for at, line in ipairs(lines) do
      local first, last = line:find(step.from, 1, true)
      if first then
        vim.api.nvim_buf_set_text(vim.fn.bufnr(step.file), at - 1, first - 1, at - 1, last, { step.to })
      end
    end
  end,
  configure = function(step)
    for _, client in ipairs(vim.lsp.get_clients({ name = 'warplens' })) do
      client.settings = step.settings
      local method, params = 'workspace/didChangeConfiguration', { settings = step.settings }
      if vim.fn.has('nvim-0.11') == 1 then
        client:notify(method, params)
      else
        client.notify(method, params)
      end
    end
  end,
  fix = function(step)
    vim.cmd.buffer(vim.fn.bufnr(step.file))
    local before = vim.api.nvim_buf_get_changedtick(0)
    vim.lsp.buf.code_action({ context = { only = { 'source.fixAll.warplens' }, diagnostics = {} }, apply = true })
    vim.wait(20000, function()
      return vim.api.nvim_buf_get_changedtick(0) ~= before
    end, 50)
    vim.cmd.write()
  end,
}
vim.o.hidden = true
for _, step in ipairs(json(vim.env.WARPLENS_STEPS)) do
  does[step['do']](step)
end
vim.fn.writefile({ vim.json.encode(shown) }, vim.env.WARPLENS_SHOWN)
