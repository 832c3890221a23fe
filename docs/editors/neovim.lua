vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'cuda', 'cpp', 'c', 'fortran' },
  callback = function(event)
    vim.lsp.start({
      name = 'warplens',
      cmd = { 'warplens', 'server', '--stdio' },
      root_dir = vim.fs.root(event.buf, { 'warplens.json', 'compile_commands.json', '.git' }),
      settings = { warplens = { gpu = 'H100' } },
    })
  end,
})
