"""What an editor needs to run dlfix as an external tool."""

from __future__ import annotations

EDITORS = {
    "vscode": (
        ".vscode/tasks.json",
        """\
{
  "version": "2.0.0",
  "tasks": [
    {
      "label": "dlfix: check",
      "type": "shell",
      "command": "dlfix check --output-format concise --quiet .",
      "group": "test",
      "problemMatcher": {
        "owner": "dlfix",
        "fileLocation": ["relative", "${workspaceFolder}"],
        "pattern": {
          "regexp": "^(.+?):(\\\\d+):(\\\\d+): (DLF\\\\d+) (?:\\\\[.\\\\] )?(.*)$",
          "file": 1, "line": 2, "column": 3, "code": 4, "message": 5
        }
      }
    },
    {
      "label": "dlfix: fix this file",
      "type": "shell",
      "command": "dlfix apply \\"${file}\\"",
      "problemMatcher": []
    }
  ]
}
""",
    ),
    "pycharm": (
        "tools/dlfix.xml in PyCharm's configuration folder",
        """\
<toolSet name="dlfix">
  <tool name="check" description="Check for objects that cannot be sent to workers" showInMainMenu="true" \
showInEditor="true" showInProject="true" disabled="false" useConsole="true" synchronizeAfterRun="false">
    <exec>
      <option name="COMMAND" value="dlfix" />
      <option name="PARAMETERS" value="check --output-format concise --quiet &quot;$FilePath$&quot;" />
      <option name="WORKING_DIRECTORY" value="$ProjectFileDir$" />
    </exec>
    <filter><option name="FORMAT" value="$FILE_PATH$:$LINE$:$COLUMN$" /></filter>
  </tool>
  <tool name="apply" description="Fix this file" showInMainMenu="true" showInEditor="true" \
showInProject="true" disabled="false" useConsole="true" synchronizeAfterRun="true">
    <exec>
      <option name="COMMAND" value="dlfix" />
      <option name="PARAMETERS" value="apply &quot;$FilePath$&quot;" />
      <option name="WORKING_DIRECTORY" value="$ProjectFileDir$" />
    </exec>
  </tool>
</toolSet>
""",
    ),
    "pycharm-watcher": (
        ".idea/watcherTasks.xml (a file watcher that runs `dlfix check` when a Python "
        "file is saved)",
        """\
<project version="4">
  <component name="ProjectTasksOptions">
    <TaskOptions isEnabled="true">
      <option name="arguments" value="check --output-format concise --quiet &quot;$FilePath$&quot;" />
      <option name="checkSyntaxErrors" value="true" />
      <option name="description" />
      <option name="exitCodeBehavior" value="NEVER" />
      <option name="fileExtension" value="py" />
      <option name="immediateSync" value="false" />
      <option name="name" value="dlfix" />
      <option name="output" value="" />
      <option name="outputFilters">
        <array>
          <FilterInfo>
            <option name="description" value="" />
            <option name="name" value="" />
            <option name="regExp" value="$FILE_PATH$:$LINE$:$COLUMN$: $MESSAGE$" />
          </FilterInfo>
        </array>
      </option>
      <option name="outputFromStdout" value="true" />
      <option name="program" value="dlfix" />
      <option name="runOnExternalChanges" value="false" />
      <option name="scopeName" value="Project Files" />
      <option name="trackOnlyRoot" value="false" />
      <option name="workingDir" value="$ProjectFileDir$" />
      <envs />
    </TaskOptions>
  </component>
</project>
""",
    ),
    "vim": (
        "~/.vim/compiler/dlfix.vim (then :compiler dlfix, :make)",
        """\
let current_compiler = 'dlfix'
CompilerSet makeprg=dlfix\\ check\\ --output-format\\ concise\\ --quiet\\ %:S
CompilerSet errorformat=%f:%l:%c:\\ %m
command! DlfixApply execute '%!dlfix apply --quiet --stdin-filename ' . shellescape(expand('%:p')) . ' -'
""",
    ),
    "neovim": (
        "init.lua",
        """\
vim.lsp.config("dlfix", {
  cmd = { "dlfix", "lsp" },
  filetypes = { "python" },
  root_markers = { "dlfix.toml", "pyproject.toml", ".git" },
})
vim.lsp.enable("dlfix")
""",
    ),
    "emacs": (
        "init.el",
        """\
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((python-mode python-ts-mode) . ("dlfix" "lsp"))))
""",
    ),
    "sublime": (
        "LSP.sublime-settings (requires the LSP package)",
        """\
{
  "clients": {
    "dlfix": {
      "enabled": true,
      "command": ["dlfix", "lsp"],
      "selector": "source.python"
    }
  }
}
""",
    ),
    "helix": (
        "~/.config/helix/languages.toml",
        """\
[language-server.dlfix]
command = "dlfix"
args = ["lsp"]

[[language]]
name = "python"
language-servers = ["pyright", "dlfix"]
""",
    ),
    "zed": (
        ".zed/tasks.json",
        """\
[
  { "label": "dlfix: check", "command": "dlfix", "args": ["check", "$ZED_WORKTREE_ROOT"] },
  { "label": "dlfix: fix this file", "command": "dlfix", "args": ["apply", "$ZED_FILE"] }
]
""",
    ),
    "pre-commit": (
        ".pre-commit-config.yaml (runs the installed dlfix)",
        """\
repos:
  - repo: local
    hooks:
      - id: dlfix
        name: dlfix
        entry: dlfix check
        language: system
        types_or: [python, jupyter]
        pass_filenames: false
""",
    ),
}
